"""Subscribes over WebSocket with an unmodified web3.py; reads a JSON object, and prints one."""

import asyncio
import json
import sys

from web3 import AsyncWeb3, WebSocketProvider
from web3.middleware import ExtraDataToPOAMiddleware

WAIT_SECONDS = 30


async def first(w3, subscription):
    async for message in w3.socket.process_subscriptions():
        if message["subscription"] == subscription:
            return message["result"]


async def main(asked):
    async with AsyncWeb3(WebSocketProvider(asked["wsUrl"])) as w3:
        w3.middleware_onion.inject(ExtraDataToPOAMiddleware, layer=0)
        account = w3.eth.account.from_key(asked["key"])
        seen = {}
        for name, arguments in asked["subscriptions"].items():
            subscription = await w3.eth.subscribe(*arguments)
            nonce = await w3.eth.get_transaction_count(account.address)
            signed = account.sign_transaction(
                {
                    "chainId": await w3.eth.chain_id,
                    "nonce": nonce,
                    "to": account.address,
                    "gas": 30_000,
                    "maxFeePerGas": 10**10,
                    "maxPriorityFeePerGas": 1,
                }
            )
            sent = await w3.eth.send_raw_transaction(signed.raw_transaction)
            result = await asyncio.wait_for(first(w3, subscription), WAIT_SECONDS)
            told = result.get("hash") if hasattr(result, "get") else result
            seen[name] = {"isTransaction": told == sent, "isObject": hasattr(result, "get")}
            await w3.eth.wait_for_transaction_receipt(sent, poll_latency=0.05)
            await w3.eth.unsubscribe(subscription)
        return seen


print(json.dumps(asyncio.run(main(json.load(sys.stdin)))))
