import { expect } from 'bun:test'
import { withFolder } from '../runtime/folder.ts'
import { writeNetwork } from '../runtime/genesis.ts'
import { isInstalled, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import { type Scenario, scenario } from '../support/scenario.ts'
import { until } from '../support/until.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

const CONTRACT = `0x${'c0'.repeat(20)}`
/** Counts to 2^21 and returns what the slot 1 holds: 50 million gas. */
const LOOP = '0x621fffff5b6001900380600457506001545f5260205ff3'
/** Creation code that jumps back for ever. */
const ENDLESS = '0x5b600056'
const SLOT = '0x000000000000000000000000000000000000000000000000000000000000002a'

const network = (folder: string): readonly string[] =>
  writeNetwork(folder, {
    config: { berlinBlock: 0, londonBlock: 0, shanghaiTime: 0 },
    top: {
      gasLimit: '0x5f5e100',
      alloc: { [CONTRACT]: { balance: '0x0', code: LOOP, storage: { '0x1': '0x2a' } } },
    },
  })

const defineOn = (runtime: RuntimeName, { test }: Scenario): void => {
  test('given long calls, traces and proofs, when they run, then the node answers others and makes blocks', () =>
    withFolder(async folder => {
      const args = [
        ...network(folder),
        '--rpc-http-enabled',
        '--rpc-http-api=ETH,DEBUG,TRACE',
        '--rpc-workers=1',
        '--rpc-gas-cap=0',
      ]
      const node = await startNode(folder, args, { runtime })
      const call = { to: CONTRACT, gas: '0x5f5e100' }
      try {
        const first = Number(await node.rpc('eth_blockNumber'))
        let answered = 0
        const long = Array.from({ length: 8 }, async () => {
          const result = await node.rpc('eth_call', call, 'latest')
          answered++
          return result
        })
        let others = 0
        for (; answered < long.length; others++) await node.rpc('eth_blockNumber')
        expect(await Promise.all(long)).toEqual(long.map(() => SLOT))
        // On the thread that serves requests each would have waited for a long one: at most as many as those.
        expect(others).toBeGreaterThan(long.length)
        const gas = Number(await node.rpc('eth_estimateGas', call))
        expect(gas).toBeGreaterThan(40_000_000)
        const { accessList } = await node.rpc<{ accessList: unknown }>('eth_createAccessList', {
          to: CONTRACT,
          gas: '0x7530',
        })
        expect(accessList).toBeArray()
        const proof = await node.rpc<{ storageProof: { value: string }[] }>(
          'eth_getProof',
          CONTRACT,
          ['0x1'],
          'latest',
        )
        expect(proof.storageProof[0]?.value).toBe('0x2a')
        const traced = await node.rpc<{ gasUsed: string }>('debug_traceCall', call, 'latest', {
          tracer: 'callTracer',
        })
        expect(Number(traced.gasUsed)).toBeGreaterThan(40_000_000)
        expect(await node.rpc('trace_block', '0x1')).toBeArray()
        await until(async () => Number(await node.rpc('eth_blockNumber')) >= first + 2)
        expect(node.output()).not.toContain('A call worker has ended')
        // Nobody waits for their end, the stop of the node least of all.
        void Array.from({ length: 3 }, () =>
          node.rpc('eth_call', { data: ENDLESS, gas: '0xffffffffffff' }, 'latest').catch(() => undefined),
        )
      } finally {
        expect(await node.stop()).toBe(0)
      }
    }))
}

for (const runtime of RUNTIMES)
  scenario(`on ${runtime}`, own => defineOn(runtime, own), { skip: !isInstalled(runtime) })
