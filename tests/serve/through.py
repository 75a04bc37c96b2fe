"""Lets the official SDKs read recorded and generated streams through `tagstream serve`.

What each client sees must be what it sees of a clean stream: whatever the cut, and with every fault that
loses nothing. A fault that loses something must be an error for every client, never a normal end."""

import os
import pathlib
import socket
import subprocess
import sys
import time
import warnings

import drive
import main as sdk
import texts
import tools
from upstream import HARMFUL, HARMLESS, Upstream

HERE = pathlib.Path(__file__).resolve().parent
CONFIG = """listen = "127.0.0.1:{port}"
admin_listen = "127.0.0.1:{admin}"
[timeouts]
idle = 2.0
[upstreams.played]
url = "{url}"
{more}
"""

# Clients that do not raise an error that a stream reports, or not always. All text before it is there.
SILENT = {"ai google": "takes an error in a stream for an empty answer"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proxy:
    """A running `tagstream serve`."""

    def __init__(self, name, upstream, more=""):
        port = free_port()
        config = sdk.WORK / f"serve-{name}.toml"
        config.write_text(CONFIG.format(port=port, admin=free_port(), url=upstream, more=more))
        log = (sdk.WORK / f"serve-{name}.log").open("w")
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([os.environ["TAGSTREAM"], "serve", "--config", config], stderr=log)
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    sys.exit("serve did not start: " + pathlib.Path(log.name).read_text())
                time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def readings(upstream, url, cases):
    """What each client makes of each stream: name of the stream, name of the client, answer."""
    listed, results = [], {}
    for case in cases:
        upstream.add(case["name"], case["body"], case["kind"])
        at = f"{url}/{case['name']}"
        results[case["name"]] = drive.read(at, case["form"], case["kind"])
        names = sorted({call["name"] for choice in case["expect"] for call in choice["calls"]})
        listed.append({key: case[key] for key in ("name", "form", "kind")} | {"url": at, "tools": names})
    for name, answers in sdk.node(listed).items():
        results[name] |= answers
    for case in cases:
        for client, got in results[case["name"]].items():
            if client not in ("ai", "ai 6") or case["name"] not in sdk.NOT_FOR_AI:
                yield case, client, got


def check(upstream, url, cases, what):
    """All clients must find what is in the streams."""
    failed, count = [], 0
    for case, client, got in readings(upstream, url, cases):
        count += 1
        problem = sdk.difference(got, case["expect"], case.get("notices", ()), client)
        if problem and (case["name"], client) not in sdk.CLIENT_IS_WRONG:
            failed.append(f"{case['name']}, {client}: {problem}")
    return report(what, cases, count, failed)


def report(what, cases, count, failed):
    print(f"{what}: {len(cases)} streams, {count} readings, {len(failed)} wrong")
    for problem in failed:
        print(f"  {problem}")
    sys.stdout.flush()
    return failed


def check_harmful(upstream, url, cases, fault):
    """All clients must see an error."""
    upstream.fault, upstream.cut = fault, 97
    failed, count = [], 0
    for case, client, got in readings(upstream, url, cases):
        count += 1
        if "error" not in got and client not in SILENT:
            failed.append(f"{case['name']}, {client}: a normal end: {got}")
    return report(fault, cases, count, failed)


def generated():
    """Streams with thinking and calls in the text, which the defaults of `serve` must read."""
    return [case for case in texts.cases() if not case["flags"]]


def one_of_each(cases):
    """A stream for each format and kind."""
    chosen = {}
    for case in cases:
        chosen.setdefault((case["form"], case["kind"]), case)
    return list(chosen.values())


def check_recorded(upstream, url):
    cases = list(sdk.recorded())
    failed = []
    # Single bytes take long.
    for cut, some in ((1, one_of_each(cases)), (29, cases), (1 << 20, cases)):
        upstream.cut = cut
        failed += check(upstream, url, some, f"recorded, in writes of {cut}")
    return failed


def check_generated(upstream, url, http2_url):
    """With tools that the requests declare, and nothing else configured."""
    tools.declare()
    os.environ["NODE_OPTIONS"] = f"--import={HERE / 'tools.mjs'}"
    cases = generated()
    few = one_of_each(cases)
    failed = []
    # Single bytes take long.
    for cut, some in ((1, few), (1 << 20, cases), (53, cases)):
        upstream.cut = cut
        failed += check(upstream, url, some, f"generated, in writes of {cut}")
    for fault in HARMLESS:
        upstream.fault = fault
        failed += check(upstream, http2_url if fault == "HTTP/2" else url, few, fault)
    streams = [case for case in few if case["kind"] != "json"]
    for fault in HARMFUL:
        failed += check_harmful(upstream, url, streams, fault)
    return failed


def main():
    warnings.simplefilter("ignore")
    sdk.WORK.mkdir(parents=True, exist_ok=True)
    upstream = Upstream()
    profile = sdk.profile("serve", None)
    route = f'[[routes]]\nupstream = "played"\nprofile_file = "{profile}"'
    # The last one reaches the model server through another proxy, which speaks HTTP/2.
    passing = Proxy("passing", upstream.url, '[[routes]]\nupstream = "played"\nmode = "off"')
    http2 = Proxy("http2", passing.url, "http2 = true")
    profiled, plain = Proxy("profile", upstream.url, route), Proxy("default", upstream.url)
    proxies = [passing, http2, profiled, plain]
    try:
        failed = check_recorded(upstream, profiled.url)
        failed += check_generated(upstream, plain.url, http2.url)
    finally:
        for proxy in proxies:
            proxy.stop()
    sys.exit(1 if failed else 0)


main()
