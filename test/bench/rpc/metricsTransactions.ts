import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { signTransaction } from '../../../core/block/codec/signature.ts'
import { EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../../core/genesis/development/accounts.ts'
import { writeNetwork } from '../../runtime/genesis.ts'
import { type NodeProcess, type RuntimeName, startNode } from '../../runtime/nodeProcess.ts'
import { until } from '../../support/until.ts'
import type { BenchOptions, Row } from '../measure.ts'
import { cpuMicroseconds, scrape } from './metricsNodes.ts'

/** Transactions of a request. */
const BATCH = 100
/** Transactions of each account in a round, which together fill a block of 30 million gas. */
const PER_ACCOUNT = 70
const CHAIN_ID = 4242n
const OPTIONS = ['--rpc-http-enabled', '--p2p-enabled=false', '--tx-pool-limit-by-account-percentage=1']

/** Rounds for the compilers. */
const WARM_UP_ROUNDS = 4
/** A round takes some six seconds, and Prometheus reads a node every 15 seconds. */
const ROUNDS_PER_SCRAPE = 3

type Side = { readonly node: NodeProcess; readonly ofRounds: number[] }

/** The bodies of the requests that send a round: transfers of every development account. */
export const transferBodies = (round: number): readonly string[] => {
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
export const mineRound = async (
  node: NodeProcess,
  bodies: readonly string[],
  round: number,
): Promise<number> => {
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
export const startValidator = async (
  folder: string,
  args: readonly string[],
  runtime: RuntimeName,
  environment: Readonly<Record<string, string>> = {},
): Promise<NodeProcess> => {
  mkdirSync(folder)
  const network = writeNetwork(folder)
  return await startNode(join(folder, 'data'), [...network, ...OPTIONS, ...args], { runtime, environment })
}

const rounds = async (
  sides: readonly Side[],
  count: number,
  onRound: (side: Side, cpu: number) => void,
): Promise<void> => {
  for (let round = 0; round < WARM_UP_ROUNDS + count; round++) {
    const bodies = transferBodies(round)
    for (const index of sides.keys()) {
      const side = sides[(index + round) % sides.length] as Side
      const cpu = await mineRound(side.node, bodies, round)
      if (round >= WARM_UP_ROUNDS) onRound(side, cpu)
    }
  }
}

/** Options of the validators: two without metrics, whose difference is that of equal nodes, and two with them. */
const SIDES: readonly (readonly string[])[] = [
  [],
  ['--metrics-enabled', '--metrics-port=0'],
  [],
  ['--metrics-enabled', '--metrics-port=0'],
]

/**
 * Four validators that get the same transactions in turns, in blocks of up to 1,428: the CPU time that each takes for one,
 * from the request to the block.
 */
export const benchTransactions = async (
  runtime: RuntimeName,
  folder: string,
  { quick }: BenchOptions,
): Promise<Row> => {
  const sides: Side[] = []
  try {
    for (const [index, args] of SIDES.entries()) {
      const node = await startValidator(join(folder, `${runtime}-validator${index}`), args, runtime)
      sides.push({ node, ofRounds: [] })
    }
    await rounds(sides, quick ? 6 : 30, (side, cpu) => void side.ofRounds.push(cpu))
    const perTransaction = sides.map(
      ({ ofRounds }) =>
        ofRounds.reduce((sum, cpu) => sum + cpu, 0) /
        (ofRounds.length * PER_ACCOUNT * DEVELOPMENT_ACCOUNTS.length),
    )
    const [off = 0, on = 0, otherOff = 0, otherOn = 0] = perTransaction
    return {
      name: `transaction on ${runtime}`,
      values: {
        'CPU off, µs': `${off.toFixed(1)} ${otherOff.toFixed(1)}`,
        'CPU on, µs': `${on.toFixed(1)} ${otherOn.toFixed(1)}`,
        'CPU on / off': ((on + otherOn) / (off + otherOff)).toFixed(3),
      },
    }
  } finally {
    await Promise.all(sides.map(({ node }) => node.stop()))
  }
}
