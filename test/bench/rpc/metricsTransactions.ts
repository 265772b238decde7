import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { signTransaction } from '../../../core/block/codec/signature.ts'
import { EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../../core/genesis/development/accounts.ts'
import { writeNetwork } from '../../runtime/genesis.ts'
import { type NodeProcess, type RuntimeName, startNode } from '../../runtime/nodeProcess.ts'
import { until } from '../../support/until.ts'
import { type BenchOptions, median, type Row } from '../measure.ts'
import { cpuMicroseconds, scrape } from './metricsNodes.ts'

/** Transactions of a request. */
const BATCH = 100
/** Transactions of each account in a round, which together fill a block of 30 million gas. */
const PER_ACCOUNT = 70
const CHAIN_ID = 4242n
const OPTIONS = ['--rpc-http-enabled', '--p2p-enabled=false', '--tx-pool-limit-by-account-percentage=1']

/** Rounds for the compilers. */
const WARM_UP_ROUNDS = 4
/** A round takes some three seconds, and Prometheus reads a node every 15 seconds. */
const ROUNDS_PER_SCRAPE = 5

type Side = { readonly node: NodeProcess; cpu: number; readonly ofRounds: number[] }

/** The bodies of the requests that send a round: transfers of every development account. */
const transferBodies = (round: number): readonly string[] => {
  const [{ address: to }] = DEVELOPMENT_ACCOUNTS as readonly [DevelopmentAccount]
  const calls = DEVELOPMENT_ACCOUNTS.flatMap(({ privateKey }) =>
    Array.from({ length: PER_ACCOUNT }, (_, index) => {
      const { encoded } = signTransaction(
        {
          type: 0,
          chainId: CHAIN_ID,
          nonce: BigInt(round * PER_ACCOUNT + index),
          maxPriorityFeePerGas: 10n ** 11n,
          maxFeePerGas: 10n ** 11n,
          gasLimit: 21_000n,
          to,
          value: 1n,
          data: EMPTY_BYTES,
          accessList: [],
          maxFeePerBlobGas: 0n,
          blobVersionedHashes: [],
          authorizationList: [],
        },
        privateKey,
      )
      return { jsonrpc: '2.0', id: index, method: 'eth_sendRawTransaction', params: [toHex(encoded)] }
    }),
  )
  return Array.from({ length: Math.ceil(calls.length / BATCH) }, (_, at) =>
    JSON.stringify(calls.slice(at * BATCH, (at + 1) * BATCH)),
  )
}

/** CPU time in microseconds from the first request until a block has the last transaction, with a scrape where one is due. */
const mineRound = async ({ node }: Side, bodies: readonly string[], round: number): Promise<number> => {
  const before = cpuMicroseconds(node.pid)
  if (round % ROUNDS_PER_SCRAPE === 0) await scrape(node)
  for (const body of bodies) {
    const replies = await (await fetch(node.url, { method: 'POST', body })).text()
    if (replies.includes('"error"')) throw new Error(`a transaction was refused: ${replies.slice(0, 300)}`)
  }
  const nonce = (round + 1) * PER_ACCOUNT
  const last = toHex((DEVELOPMENT_ACCOUNTS.at(-1) as DevelopmentAccount).address)
  await until(async () => Number(await node.rpc<string>('eth_getTransactionCount', last, 'latest')) >= nonce)
  return cpuMicroseconds(node.pid) - before
}

/** A validator alone, with a block each second. */
const startValidator = async (
  folder: string,
  args: readonly string[],
  runtime: RuntimeName,
): Promise<NodeProcess> => {
  mkdirSync(folder)
  const network = writeNetwork(folder)
  return await startNode(join(folder, 'data'), [...network, ...OPTIONS, ...args], { runtime })
}

const rounds = async (
  sides: readonly [Side, Side],
  count: number,
  onRound: (side: Side, cpu: number) => void,
): Promise<void> => {
  for (let round = 0; round < WARM_UP_ROUNDS + count; round++) {
    const bodies = transferBodies(round)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const cpu = await mineRound(side, bodies, round)
      if (round >= WARM_UP_ROUNDS) onRound(side, cpu)
    }
  }
}

/**
 * Two validators that get the same transactions in turns, in blocks of up to 1,428: the CPU time that each takes for one,
 * from the request to the block.
 */
export const benchTransactions = async (
  runtime: RuntimeName,
  folder: string,
  { quick, progress }: BenchOptions,
): Promise<Row> => {
  progress(`metrics: transactions with and without metrics on ${runtime}`)
  const off = await startValidator(join(folder, `${runtime}-validator-off`), [], runtime)
  const on = await startValidator(
    join(folder, `${runtime}-validator-on`),
    ['--metrics-enabled', '--metrics-port=0'],
    runtime,
  )
  try {
    const sides = [off, on].map((node): Side => ({ node, cpu: 0, ofRounds: [] })) as [Side, Side]
    await rounds(sides, quick ? 6 : 40, (side, cpu) => {
      side.cpu += cpu
      side.ofRounds.push(cpu)
    })
    const [plain, measured] = sides
    const transactions = plain.ofRounds.length * PER_ACCOUNT * DEVELOPMENT_ACCOUNTS.length
    const ratios = measured.ofRounds.map((cpu, round) => cpu / (plain.ofRounds[round] ?? cpu))
    return {
      name: `transaction on ${runtime}`,
      values: {
        'CPU off, µs': (plain.cpu / transactions).toFixed(2),
        'CPU on, µs': (measured.cpu / transactions).toFixed(2),
        'CPU on / off': (measured.cpu / plain.cpu).toFixed(3),
        'of a round, median': median(ratios).toFixed(3),
      },
    }
  } finally {
    await off.stop()
    await on.stop()
  }
}
