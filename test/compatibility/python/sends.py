"""Sends transactions with an unmodified web3.py and its own default fees; reads a JSON object, and prints one."""

import json
import sys

from web3 import Web3
from web3.middleware import ExtraDataToPOAMiddleware, SignAndSendRawMiddlewareBuilder

asked = json.load(sys.stdin)
w3 = Web3(Web3.HTTPProvider(asked["url"]))
# As web3.py's pages say for every proof-of-authority chain: its blocks have more than 32 bytes of extra data.
w3.middleware_onion.inject(ExtraDataToPOAMiddleware, layer=0)
account = w3.eth.account.from_key(asked["key"])
w3.middleware_onion.inject(SignAndSendRawMiddlewareBuilder.build(account), layer=0)
w3.eth.default_account = account.address
friend = w3.to_checksum_address(asked["friend"])


def mined(transaction_hash):
    return w3.eth.wait_for_transaction_receipt(transaction_hash, timeout=60, poll_latency=0.05)


token = w3.eth.contract(abi=asked["abi"], bytecode=asked["bytecode"])
deployed = mined(token.constructor(asked["supply"]).transact())
contract = w3.eth.contract(address=deployed["contractAddress"], abi=asked["abi"])
moved = mined(contract.functions.transfer(friend, asked["amount"]).transact())
paid = mined(w3.eth.send_transaction({"to": friend, "value": 5}))
legacy = mined(w3.eth.send_transaction({"to": friend, "value": 6, "gasPrice": w3.eth.gas_price}))

print(
    json.dumps(
        {
            "statuses": [receipt["status"] for receipt in (deployed, moved, paid, legacy)],
            "types": [receipt["type"] for receipt in (deployed, moved, paid, legacy)],
            "balance": contract.functions.balanceOf(friend).call(),
            "events": len(contract.events.Transfer().get_logs(from_block=0)),
            "finalized": w3.eth.get_block("finalized")["number"] >= legacy["blockNumber"],
            "rewards": [len(block) for block in w3.eth.fee_history(2, "latest", [10, 90])["reward"]],
        }
    )
)
