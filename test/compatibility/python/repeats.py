"""Sends transfers one after the other with an unmodified web3.py and its own default fees. Reads a JSON object a line, and prints
a line with the hashes for each: to load the library takes longer than to send."""

import json
import sys

from web3 import Web3
from web3.middleware import ExtraDataToPOAMiddleware, SignAndSendRawMiddlewareBuilder


def repeat(asked):
    w3 = Web3(Web3.HTTPProvider(asked["url"]))
    w3.middleware_onion.inject(ExtraDataToPOAMiddleware, layer=0)
    account = w3.eth.account.from_key(asked["key"])
    w3.middleware_onion.inject(SignAndSendRawMiddlewareBuilder.build(account), layer=0)
    w3.eth.default_account = account.address
    to = w3.to_checksum_address(asked["to"])
    first = w3.eth.get_transaction_count(account.address)
    # It asks for the nonce of the latest block, so who sends faster than blocks come counts.
    return [
        w3.eth.send_transaction({"to": to, "value": 1, "nonce": first + index}).to_0x_hex()
        for index in range(asked["count"])
    ]


for line in sys.stdin:
    print(json.dumps(repeat(json.loads(line))), flush=True)
