import { expect, setDefaultTimeout, test } from 'bun:test'
import { codeOf, sourceFiles } from './source.ts'

/** Reads and parses all sources, beside other work. */
setDefaultTimeout(60_000)

/** What runs code in a later turn of the event loop. */
const LATER_TURN = /\bsetImmediate\b|\bsetTimeout\([^;\n]*,\s*0\)|\bMessageChannel\b|\bpostTask\b/

/** Files that may, with the reason. All other code takes a `Scheduler` (core/scheduler.ts). */
const ALLOWED: Readonly<Record<string, string>> = {
  'handlers/inbound/nextTurn.ts': 'gives the schedulers of requests and of the node their turns',
  'runtime/threads/network/thread.ts':
    'throws where no caller catches it, as an uncaught error of this thread would be',
  'p2p/devp2p/node/devp2pNode.ts':
    'reads what nodes send that are no validators in later turns, after what validators sent, and has its own slices',
  'p2p/node/parts.ts': 'waits for the close events of the streams of a connection, yields nothing',
}

test('given the sources, when they are read, then the scheduler alone waits for a later turn', () => {
  const found = sourceFiles('core', 'handlers', 'p2p', 'runtime')
    .filter(({ text }) => LATER_TURN.test(codeOf(text)))
    .map(({ path }) => path)
  expect(found.toSorted()).toEqual(Object.keys(ALLOWED).toSorted())
})
