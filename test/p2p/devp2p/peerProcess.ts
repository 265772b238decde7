import process from 'node:process'
import { equalBytes } from '../../../core/bytes/bytes.ts'
import { patternOf, someTransaction, until } from '../networks.ts'
import { BLOCKS, startDevp2pNode, statusAt } from './nodes.ts'
import type { SampleBlock } from './sampleBlocks.ts'

/**
 * A node over devp2p in a process of its own. It prints its enode URL, connects with the node whose enode URL is its argument,
 * if any, and then says what it could send and receive.
 */
const [other] = process.argv.slice(2)

const head = BLOCKS[600] as SampleBlock
const message = patternOf(3 * 1024 * 1024)
const node = await startDevp2pNode({
  status: statusAt(head),
  discovery: true,
  staticNodes: other === undefined ? [] : [other],
})
// A process that its test has lost ends, too.
const lost = setTimeout(() => process.exit(1), 120_000)
console.log(node.network.enode)
await until(() => node.network.peers().length > 0)
const [peer] = node.network.peers()
if (peer === undefined) process.exit(1)
console.log(`head ${peer.status.headNumber}`)
node.network.sendConsensus([peer.address], 0x12, message)
const range = await Array.fromAsync(node.network.requestBlocks(peer, 1n, 300, new AbortController().signal))
const isWhole = range.every((bytes, index) => equalBytes(bytes, BLOCKS[index + 1]?.block as Uint8Array))
console.log(`range ${range.length} ${isWhole}`)
node.network.announceTransactions([someTransaction(100)])
await until(() => node.consensus.length > 0 && node.transactions.length > 0)
console.log(`consensus ${equalBytes(node.consensus[0]?.data as Uint8Array, message)}`)
clearTimeout(lost)
await node.stop()
console.log('stopped')
