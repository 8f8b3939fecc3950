"""A bot that plays any game, with Python alone: python bot.py http://127.0.0.1:8000/t/BCDFGH"""

import json
import random
import sys
from itertools import count
from urllib.parse import urlsplit
from urllib.request import Request, urlopen


def call(address, body=None, token=None):
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    return urlopen(Request(address, json.dumps(body).encode() if body else None, headers))


def play(link, name="Robot"):
    at = urlsplit(link)
    table = f"{at.scheme}://{at.netloc}/api/1/tables/{at.path.rpartition('/')[2]}"
    token = json.load(call(f"{table}/seats", {"name": name}))["token"]
    answered, ids = None, count()
    for line in call(f"{table}/frames", token=token):  # everything our seat is told, a frame a line
        frame = json.loads(line)
        if frame["frame"] != "telling":
            continue
        for sentence in frame["new"]:
            print(f"{sentence['text']} ({sentence['clause']})")
        if frame["choices"] and frame["version"] != answered:
            answered = frame["version"]
            action = random.choice(frame["choices"])["name"]  # a better bot looks at frame["view"]
            call(f"{table}/commands", {"do": "act", "id": f"{next(ids)}", "action": action}, token)
        if frame["over"]:
            return frame["returns"]


if __name__ == "__main__":
    print("Returns:", play(*sys.argv[1:]))
