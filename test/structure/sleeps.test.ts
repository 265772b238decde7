import { expect, setDefaultTimeout, test } from 'bun:test'
import { codeOf, sourceFiles } from './source.ts'

/** Reads and parses all sources, beside other work. */
setDefaultTimeout(60_000)

/** A wait of a fixed time. A named one counts as well: the name says why, this list says that it is known. */
const SLEEP = /\bBun\.sleep\(|\bsetTimeout\(resolve\b/g

/** Folders that run nodes or load over real time, and the helpers that wait. */
const FOLDERS: readonly string[] = [
  'test/attack/',
  'test/bench/',
  'test/cluster/',
  'test/devp2p/',
  'test/simulation/',
  'test/support/',
]

/** The other waits, with the number of them and the reason. */
const ALLOWED: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  'test/compatibility/ethers.test.ts': [1, 'the library shows no sign that its poll has begun'],
  'test/compatibility/viem.test.ts': [1, 'the library shows no sign that its filter exists'],
  'test/handlers/graphql/limits.test.ts': [1, 'a slow read'],
  'test/handlers/http/stream.test.ts': [1, 'a slow reader'],
  'test/handlers/inbound/deadlines.test.ts': [1, 'two deadlines that a busy machine does not end at once'],
  'test/p2p/connections.test.ts': [4, 'nodes that must not connect, or pass anything on; one slow answer'],
  'test/p2p/devp2p/nodes.test.ts': [1, 'a connection that must not be replaced'],
  'test/p2p/floods.test.ts': [1, 'quiet is the absence of messages for some time'],
  'test/p2p/gossip/poolLists.test.ts': [1, 'gossip streams open both ways without a sign'],
  'test/p2p/large.test.ts': [2, 'longer than the timeout of an announcer; the order of two connections'],
  'test/p2p/transport/windowUpdates.test.ts': [1, 'quiet before bytes are counted'],
  'test/pages/shell.ts': [1, 'polls a shell'],
  'test/runtime/consensus/loneValidator.test.ts': [1, 'a stopped timer must not fire'],
  'test/runtime/crash.test.ts': [1, 'a random time of the crash'],
  'test/runtime/drivers/lockHolder.ts': [2, 'a collection of garbage shows no sign'],
  'test/runtime/node.test.ts': [1, 'a node that must not make a block'],
  'test/runtime/node/fullDisk.test.ts': [1, 'a node that must not make a block'],
  'test/runtime/node/serverStorage.test.ts': [1, 'transactions for some time before a node is killed'],
  'test/runtime/node/servers/graphqlServer.test.ts': [1, 'a request that waits shows no sign'],
  'test/runtime/node/process/signals.test.ts': [2, 'a second signal within a second counts as the first'],
  'test/runtime/permissions/permissions.test.ts': [1, 'a peer that must not be dialed again'],
  'test/runtime/replicate/replicatedNetwork.ts': [1, 'transactions at a steady rate'],
  'test/runtime/signing/slowSigner.test.ts': [1, 'a slow answer'],
  'test/runtime/threads/network/network.test.ts': [1, 'a log level reaches the worker without a sign'],
  'test/runtime/threads/recovery/endRecoveryThreads.ts': [1, 'threads that end at another moment each'],
  'test/runtime/webSocketClients.test.ts': [2, 'the library shows no sign that its subscriptions exist'],
}

test('given the tests, when they are read, then they wait for signs, not for a fixed time', () => {
  const counts = sourceFiles('test')
    .filter(({ path }) => !FOLDERS.some(folder => path.startsWith(folder)))
    .map(({ path, text }) => [path, codeOf(text).match(SLEEP)?.length ?? 0] as const)
    .filter(([, count]) => count > 0)
  const allowed = Object.entries(ALLOWED).map(([path, [count]]) => [path, count])
  expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(allowed))
})
