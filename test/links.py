"""Checks that what the hand-written pages point to exists: relative links and paths in backquotes.

usage: links.py CHECKOUT
"""

import os
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
# A path in backquotes counts when it begins with a folder of the checkout that holds sources.
PATH = re.compile(r"`((?:benchmark|cmake|docs|include|lib|test|tools)/[\w./-]+)`")

os.chdir(sys.argv[1])
listed = subprocess.run(["git", "ls-files", "*.md"], stdout=subprocess.PIPE, text=True).stdout.split()
# An archive of the sources has no git.
pages = listed or [
    os.path.relpath(os.path.join(folder, name))
    for folder, _, names in os.walk(".")
    for name in names
    if name.endswith(".md") and not folder.startswith(("./build", "./."))
]

errors, checked = [], 0
for page in pages:
    with open(page, encoding="utf-8") as file:
        text = re.sub(r"^```.*?^```$", "", file.read(), flags=re.DOTALL | re.MULTILINE)
    targets = [
        os.path.join(os.path.dirname(page), link.split("#")[0])
        for link in LINK.findall(text)
        if not re.match(r"[a-z]+:|#", link)
    ]
    targets += PATH.findall(text)
    for target in targets:
        checked += 1
        if not os.path.exists(target):
            errors.append(f"{page}: {target} does not exist")

print(f"{checked} links and paths in {len(pages)} pages")
print("\n".join(errors))
if not checked:
    errors.append("nothing was checked")
sys.exit(1 if errors else 0)
