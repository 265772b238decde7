import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { requestScheduler } from '../../../../handlers/inbound/requestScheduler.ts'
import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import type { Chain } from '../../../../core/chain/chain.ts'
import { decodeBlock } from '../../../../core/block/codec/block.ts'
import { splitBlocks } from '../../../../core/block/codec/blockStream.ts'
import { openChain } from '../../../../core/chain/opening/openChain.ts'
import { parseGenesisText } from '../../../../core/genesis/parse/parse.ts'
import type { AccountChange } from '../../../../core/state/account.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import type { BlockRecord } from '../../../../core/store/store.ts'
import { createRpcContext } from '../../../../handlers/http/app.ts'
import { RPC_DEFAULTS, type RpcContext } from '../../../../handlers/rpc/context.ts'
import { RPC_ERRORS, RpcError } from '../../../../handlers/rpc/errors.ts'
import { METHODS } from '../../../../handlers/rpc/methods/methodTable.ts'
import { memoryStore } from '../../../core/chain/support/memory.ts'
import { sharedPath } from '../../../support/published/shared.ts'
import { recoverSendersHere } from '../../support/submission.ts'

setDefaultTimeout(120_000)

const FOLDER = sharedPath('conformance/execution-apis')

type Published = {
  readonly params: readonly unknown[]
  readonly result?: unknown
  readonly error?: { readonly code: number }
}

/** Request and expected answer of a published case. */
const readCase = (path: string): Published => {
  const lines = readFileSync(path, 'utf8').split('\n')
  const after = (mark: string): unknown =>
    JSON.parse((lines.find(line => line.startsWith(mark)) as string).slice(2))
  return { ...(after('<<') as object), ...(after('>>') as { params: readonly unknown[] }) }
}

const CASES = (FOLDER === undefined ? [] : readdirSync(`${FOLDER}/cases`))
  .filter(method => method.startsWith('debug_trace'))
  .flatMap(method => readdirSync(`${FOLDER}/cases/${method}`).map(file => [method, file] as const))

describe.skipIf(FOLDER === undefined)(
  `given the chain of the execution-apis${FOLDER === undefined ? ' (../shared is not there)' : ''}`,
  () => {
    let chain: Chain
    let context: RpcContext
    const records: BlockRecord[] = []

    beforeAll(async () => {
      chain = await openChain({
        genesis: parseGenesisText(readFileSync(`${FOLDER}/genesis.json`, 'utf8')),
        store: await openChainStore(memoryStore()),
        onError: error => {
          throw error
        },
      })
      for await (const { bytes } of splitBlocks([readFileSync(`${FOLDER}/chain.rlp`)]))
        await chain.importBlock(decodeBlock(bytes), { nowMs: 2_000_000_000_000 })
      for (let number = 1n; number <= chain.head().header.number; number++)
        records.push((await chain.store.record(number)) as BlockRecord)
      context = createRpcContext({
        chain,
        options: { ...RPC_DEFAULTS, clientVersion: '', networkId: 1n },
        nowMs: () => 0,
        scheduler: requestScheduler(),
        recoverSenders: recoverSendersHere,
      } as unknown as Parameters<typeof createRpcContext>[0])
    })

    const call = async (name: string, ...params: readonly unknown[]): Promise<unknown> => {
      const row = METHODS.find(method => method.name === name)
      const result = await row?.handle({ params, expired: () => false }, context)
      return JSON.parse(JSON.stringify(result))
    }

    test.each(CASES)('when %s runs %s, then the answer equals the published one', async (method, file) => {
      const { params, result, error } = readCase(`${FOLDER}/cases/${method}/${file}`)
      if (error === undefined) expect(await call(method, ...params)).toEqual(result)
      else {
        const refused = await call(method, ...params).catch((thrown: unknown) => thrown)
        expect(refused).toBeInstanceOf(RpcError)
        expect<number>(RPC_ERRORS[(refused as RpcError).code].code).toBe(error.code)
      }
    })

    const number = ({ block }: BlockRecord): string => toQuantity(block.header.number)

    test('when any fork is traced, then steps and calls use the gas of the receipts', async () => {
      for (const record of records) {
        const receipts = record.receipts.map(({ gasUsed, status }) => [Number(gasUsed), status !== false])
        const steps = (await call('debug_traceBlockByNumber', number(record))) as readonly {
          readonly result: { readonly gas: number; readonly failed: boolean }
        }[]
        expect(steps.map(({ result }) => [result.gas, !result.failed])).toEqual(receipts)
        const calls = (await call('debug_traceBlockByNumber', number(record), {
          tracer: 'callTracer',
        })) as readonly {
          readonly txHash: string
          readonly result: { readonly gasUsed: string; readonly error?: string }
        }[]
        expect(calls.map(({ result }) => [Number(result.gasUsed), result.error === undefined])).toEqual(
          receipts,
        )
        expect(calls.map(({ txHash }) => txHash)).toEqual(
          record.block.transactions.map(({ hash }) => toHex(hash)),
        )
      }
    })

    test('when calls list logs, then they are those of the receipts', async () => {
      type Frame = {
        readonly logs?: readonly { readonly index: string; readonly data: string }[]
        readonly calls?: readonly Frame[]
      }
      const logsOf = ({
        logs = [],
        calls = [],
      }: Frame): readonly { readonly index: string; readonly data: string }[] => [
        ...logs,
        ...calls.flatMap(logsOf),
      ]
      const options = { tracer: 'callTracer', tracerConfig: { withLog: true } }
      for (const record of records) {
        const traces = (await call('debug_traceBlockByNumber', number(record), options)) as readonly {
          readonly result: Frame
        }[]
        const logs = traces.map(({ result }) =>
          logsOf(result)
            .toSorted((a, b) => Number(a.index) - Number(b.index))
            .map(({ data }) => data),
        )
        expect(logs).toEqual(record.receipts.map(receipt => receipt.logs.map(({ data }) => toHex(data))))
      }
    })

    /** What each account had before a block's first difference and after its last. */
    const balancesOf = (
      diffs: readonly Record<string, { readonly balance: unknown }>[],
    ): Map<string, string[]> => {
      const ends = new Map<string, string[]>()
      for (const diff of diffs)
        for (const [address, { balance }] of Object.entries(diff)) {
          if (typeof balance === 'string') continue
          const change = balance as { '*'?: { from: string; to: string }; '+'?: string; '-'?: string }
          const from = change['*']?.from ?? change['-'] ?? 'none'
          const to = change['*']?.to ?? change['+'] ?? 'none'
          const known = ends.get(address)
          if (known === undefined) ends.set(address, [from, to])
          else {
            // What one transaction left the next one found.
            expect(from).toBe(known[1] as string)
            known[1] = to
          }
        }
      return ends
    }

    test('when state differences are added up, then they equal the changes of the block', async () => {
      const balance = (account: AccountChange['after']): string =>
        account === undefined ? 'none' : toQuantity(account.balance)
      for (const record of records) {
        const { header, withdrawals } = record.block
        const replayed = (await call('trace_replayBlockTransactions', number(record), [
          'stateDiff',
        ])) as readonly {
          readonly stateDiff: Record<string, { readonly balance: unknown }>
        }[]
        const ends = balancesOf(replayed.map(({ stateDiff }) => stateDiff))
        const changes = (await chain.store.changesOf(header.number))?.accounts ?? []
        // Rewards and withdrawals come after the transactions.
        const credited = new Set(
          [header.coinbase, ...(withdrawals ?? []).map(({ address }) => address)].map(toHex),
        )
        for (const { address, before, after } of changes) {
          const key = toHex(address)
          if (credited.has(key) || balance(before) === balance(after)) continue
          expect(ends.get(key)).toEqual([balance(before), balance(after)])
        }
      }
    })

    test('when every trace of every block is made, then none fails', async () => {
      for (const record of records) {
        const { transactions, ommers } = record.block
        for (const tracer of ['prestateTracer', 'flatCallTracer', '4byteTracer'])
          expect(await call('debug_traceBlockByNumber', number(record), { tracer })).toHaveLength(
            transactions.length,
          )
        const traces = (await call('trace_block', number(record))) as readonly { readonly type: string }[]
        expect(traces.filter(({ type }) => type === 'reward')).toHaveLength(1 + ommers.length)
        const replayed = await call('trace_replayBlockTransactions', number(record), ['trace', 'vmTrace'])
        expect(replayed).toHaveLength(transactions.length)
      }
    })
  },
)
