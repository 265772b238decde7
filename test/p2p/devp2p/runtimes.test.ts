import { expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  isInstalled,
  RUNTIME_COMMANDS,
  RUNTIMES,
  type RuntimeName,
} from '../../support/programs/runtimeCommands.ts'
import { patternOf, someTransaction, until } from '../networks.ts'
import { BLOCKS, startDevp2pNode, statusAt } from './nodes.ts'
import type { SampleBlock } from './sampleBlocks.ts'

/** The program on another runtime; resolves to what it printed once it has ended. */
const runPeer = (runtime: RuntimeName, enode: string) => {
  const child = Bun.spawn([...RUNTIME_COMMANDS[runtime], join(import.meta.dir, 'peerProcess.ts'), enode], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return { child, output: new Response(child.stdout).text() }
}

test.each(RUNTIMES.filter(isInstalled))(
  'given a node on %s, when it connects over devp2p, then blocks, consensus messages and transactions pass both ways',
  async runtime => {
    const node = await startDevp2pNode({ status: statusAt(BLOCKS[500] as SampleBlock) })
    const { child, output } = runPeer(runtime, node.network.enode)
    try {
      await until(() => node.consensus.length > 0 && node.transactions.length > 0)
      const message = patternOf(3 * 1024 * 1024)
      expect(node.consensus[0]?.data).toEqual(message)
      const [peer] = node.network.peers()
      if (peer === undefined) throw new Error('the peer has gone')
      expect(peer.status.headNumber).toBe(600n)
      const range = node.network.requestBlocks(peer, 1n, 600, new AbortController().signal)
      expect(await Array.fromAsync(range)).toEqual(BLOCKS.slice(1, 601).map(({ block }) => block))
      node.network.sendConsensus([peer.address], 0x12, message)
      node.network.announceTransactions([someTransaction(10)])
      expect((await output).split('\n').slice(1)).toEqual([
        'head 500',
        'range 300 true',
        'consensus true',
        'stopped',
        '',
      ])
      expect(await child.exited).toBe(0)
    } finally {
      child.kill('SIGKILL')
      await node.stop()
    }
  },
)
