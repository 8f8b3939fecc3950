"""Games of stops: the rules, clauses, words and drawing that Commit, Pope Joan and Newmarket share."""
