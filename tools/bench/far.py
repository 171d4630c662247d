#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""far - call a function of the bench and print its result as JSON (programs.call_far).

  far.py MODULE FUNCTION ARGUMENTS      the arguments are a JSON list
"""
import importlib
import json
import sys

sys.dont_write_bytecode = True


def main():
    module, function, arguments = sys.argv[1:]
    print(json.dumps(getattr(importlib.import_module(module), function)(*json.loads(arguments))))


if __name__ == "__main__":
    main()
