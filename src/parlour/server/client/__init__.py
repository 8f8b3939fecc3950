"""The other end of the line: a client that sits down and plays over the network, and bots that do."""
