import process from 'node:process'
import { keccak256 } from '../../core/crypto/crypto.ts'
import { equalBytes } from '../../core/bytes/bytes.ts'
import { addressOfPrivateKey } from '../../core/crypto/crypto.ts'
import { fromHex } from '../../core/bytes/hex.ts'
import { patternOf, someTransaction, startTestNode } from './networks.ts'
import { until } from '../support/until.ts'

/**
 * A node of its own process: sends a block of 5 MB to the first peer each way there is, and says what came of the
 * peer's. Arguments: the private key, and the enode of the other where there is one.
 */
const [key = '', bootnode] = process.argv.slice(2)

const block = patternOf(5 * 1024 * 1024)
const hash = keccak256(block)

const node = await startTestNode({
  privateKey: fromHex(key),
  bootnodes: bootnode === undefined ? [] : [bootnode],
  chain: async function* () {
    yield block
  },
})
const say = (line: string): void => console.log(line)
// Ends the process if its test has died, later than the time limit of the test.
const lost = setTimeout(() => process.exit(1), 150_000)
// Removes the signal listener, which would keep Deno running.
process.once('SIGTERM', () => {
  clearTimeout(lost)
  clearInterval(announcing)
  void node.stop().then(() => {
    say('stopped')
    // The lock of libp2p's peer store has a BroadcastChannel that Deno, alone, waits for.
    if ('Deno' in globalThis) process.exit(0)
  })
})
let announcing: ReturnType<typeof setInterval> | undefined

say(node.network.enode)
await until(() => node.connections > 0)
const [peer] = node.network.peers()
if (peer === undefined) process.exit(1)

const isWhole = (bytes: Uint8Array | undefined): boolean =>
  bytes !== undefined && bytes.length === block.length && equalBytes(keccak256(bytes), hash)

node.network.sendConsensus([peer.address], 1, block)
await until(() => node.consensus.length > 0)
say(`consensus ${isWhole(node.consensus[0]?.data)}`)
// Each process announces its own block: an announcer is not sent the block.
const own = addressOfPrivateKey(node.privateKey)
node.network.announceBlock(1n, keccak256(own), block)
await until(() => node.blocks.length > 0)
say(`announcement ${isWhole(node.blocks[0]?.block)}`)
const range = await Array.fromAsync(node.network.requestBlocks(peer, 0n, 1, new AbortController().signal))
say(`range ${range.length === 1 && isWhole(range[0])}`)
// Gossip subscriptions are exchanged a moment after connecting.
announcing = setInterval(() => node.network.announceTransactions([someTransaction(1)]), 100)
await until(() => node.transactions.length > 0)
say(`transactions ${node.transactions.length > 0}`)
