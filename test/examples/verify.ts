// Proves a balance by a node that is not trusted: verify.ts genesis.json http://127.0.0.1:8545 0x<address>
import { readFileSync } from 'node:fs'
import { argv } from 'node:process'
import { createLightClient, fromHex, toHex } from 'quorate/verify'

const [, , genesisFile = '', url = '', address = ''] = argv
const client = createLightClient({
  genesis: readFileSync(genesisFile, 'utf8'),
  request: async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return ((await response.json()) as { readonly result?: unknown }).result
  },
})

// Checks the seals of a quorum of the validators, which it follows from the genesis file.
const { number, hash } = await client.head()
// Checks the answer to eth_getProof against the state root of that block.
const { balance, nonce } = await client.account(fromHex(address))
console.log(`block ${number} ${toHex(hash)}: ${balance} wei, nonce ${nonce}`)
