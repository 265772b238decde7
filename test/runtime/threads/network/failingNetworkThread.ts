import { randomBytes } from 'node:crypto'
import { createHandled } from '../../../../runtime/threads/network/backlog.ts'
import { createConnectionCounters } from '../../../../runtime/threads/network/connectionCounts.ts'
import { openNetworkThread } from '../../../../runtime/threads/network/thread.ts'
import { LOOPBACK } from '../../../support/loopback.ts'

/** A program: starts a network on a thread and, when told to by its argument, sends it what it fails at. */
const hash = new Uint8Array(32)
const thread = openNetworkThread(
  {
    transport: 'libp2p',
    libp2pPort: 0,
    chain: { consensus: { kind: 'qbft' }, genesisDifficulty: 1n, forks: { blocks: [], times: [] } },
    privateKey: randomBytes(32),
    ...LOOPBACK,
    discovery: true,
    status: {
      networkId: 1n,
      genesisHash: hash,
      configuration: {},
      headNumber: 0n,
      headHash: hash,
      client: 'test',
      neighbours: [],
      features: [],
    },
    nodeState: { headNumber: 0n, headTimestamp: 0n, headHash: hash, validators: undefined, debug: false },
    handled: createHandled(),
    counters: createConnectionCounters(),
  },
  () => undefined,
  error => console.log(`told: ${error.code}`),
)
const { port } = await thread.started
console.log(port > 0)
if (process.argv[2] === 'fail') thread.send({ kind: 'consensus' } as never)
else {
  await thread.stop()
  console.log(`ended: ${thread.hasEnded()}`)
}
