"""Lets the Python SDKs declare tools: the tools that generated streams call are added to each request."""

import importlib
import json

NAMES = ("get_weather", "bash", "now")
TOOLS = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in NAMES]
# All of the SDKs use one of these.
PACKAGES = ("httpx", "httpx2")


def declare():
    """From now on, requests declare them."""
    for name in PACKAGES:
        try:
            patch(importlib.import_module(name))
        except ModuleNotFoundError:
            pass


def patch(package):
    send = package.Client.send

    def with_tools(self, request, **options):
        body = json.loads(request.content)
        body["tools"] = body.get("tools") or TOOLS
        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"content-length"]
        request = package.Request(
            request.method, request.url, headers=headers, json=body, extensions=request.extensions
        )
        return send(self, request, **options)

    package.Client.send = with_tools
