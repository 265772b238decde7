import { toHex } from '../../../core/bytes/hex.ts'
import { signedTransfer } from '../../cluster/support/poolFlood.ts'
import { FREE_GAS, freshKey } from '../../cluster/support/slowTransactions.ts'
import { until } from '../../cluster/support/waiting.ts'
import { code } from '../../core/evm/harness.ts'
import type { Attack, AttackContext } from '../attack.ts'

const MEGABYTE = 2 ** 20
const SIZES = [1, 4, 8, 16].map(megabytes => megabytes * MEGABYTE)
/** The largest that a genesis file of other clients may have. */
const CONTRACT_SIZE_LIMIT = 0x7fff_ffff
const SECONDS = 15
const READERS = 4
const FREE = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, gasLimit: 20_000_000_000n }

const JUMPDESTS = BigInt(`0x${'5b'.repeat(32)}`)

/** Initialization code that returns so many JUMPDESTs: whoever calls them walks over all of them. */
const creating = (bytes: number): Uint8Array =>
  code(
    0,
    'JUMPDEST',
    [JUMPDESTS, 'DUP2 MSTORE'],
    [32, 'ADD'],
    [bytes, 'DUP2 LT', 2, 'JUMPI'],
    [bytes, 0, 'RETURN'],
  )

/** What a transaction does with a huge contract, a hundred times. */
const using = (contract: bigint, bytes: number): readonly Uint8Array[] =>
  [
    [0, 0, 0, 0, 0, contract, 'GAS CALL POP'],
    [0, 0, 0, 0, contract, 'GAS DELEGATECALL POP'],
    [bytes, 0, 0, contract, 'EXTCODECOPY'],
    [contract, 'EXTCODEHASH POP'],
  ].map(use => code(...Array.from({ length: 100 }, () => use)))

type Receipt = { readonly contractAddress: string; readonly status: string }

const create = async (
  { cluster }: AttackContext,
  sender: number,
  data: Uint8Array,
  index = 1,
): Promise<string> => {
  const raw = toHex(signedTransfer(freshKey(sender), { ...FREE, to: undefined, data }))
  return cluster.node(index).rpc<string>('eth_sendRawTransaction', raw)
}

/** The address of the contract; undefined where its creation takes longer than a block may. */
const createHuge = async (
  context: AttackContext,
  sender: number,
  bytes: number,
): Promise<string | undefined> => {
  const { cluster, say } = context
  const hash = await create(context, sender, creating(bytes))
  const made = await until(`a contract of ${bytes} bytes`, async () => {
    const receipt = await cluster.node(1).rpc<Receipt | null>('eth_getTransactionReceipt', hash)
    const said = await cluster.node(1).rpc<string | null>('txpool_explain', hash)
    return receipt ?? (said?.startsWith('dropped') === true ? said : undefined)
  })
  say(`${bytes / MEGABYTE} MB: ${typeof made === 'string' ? made : `status ${made.status}`}`)
  return typeof made === 'string' ? undefined : made.contractAddress
}

const requestText = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** Reads the code, calls it and traces the call, again and again. */
const read = async ({ cluster }: AttackContext, contracts: readonly string[]): Promise<number> => {
  const bodies = contracts.flatMap(to => [
    requestText('eth_getCode', [to, 'latest']),
    requestText('eth_call', [{ to }, 'latest']),
    requestText('eth_estimateGas', [{ to }, 'latest']),
    requestText('debug_traceCall', [{ to }, 'latest', { disableStack: true }]),
  ])
  const untilMs = performance.now() + SECONDS * 1000
  let answers = 0
  await Promise.all(
    Array.from({ length: READERS }, async (_, reader) => {
      for (let next = reader; performance.now() < untilMs; next++) {
        const body = bodies[next % bodies.length] as string
        const response = await fetch(cluster.node(1 + (next % 4)).url, { method: 'POST', body })
        await response.arrayBuffer()
        answers++
      }
    }),
  )
  return answers
}

export const hugeContracts: Attack = {
  name: 'huge-contracts',
  what: `Creates contracts of ${SIZES.map(bytes => bytes / MEGABYTE).join(', ')} MB where contractSizeLimit is raised, and calls, copies and reads them over and over.`,
  network: {
    ...FREE_GAS,
    config: { ...FREE_GAS.config, contractSizeLimit: CONTRACT_SIZE_LIMIT },
  },
  run: async context => {
    const contracts = new Map<string, number>()
    for (const [index, bytes] of SIZES.entries()) {
      const contract = await createHuge(context, 3_000 + index, bytes)
      if (contract !== undefined) contracts.set(contract, bytes)
    }
    const reading = read(context, [...contracts.keys()])
    let sender = 3_100
    for (const [contract, bytes] of contracts)
      for (const initCode of using(BigInt(contract), bytes)) {
        await create(context, sender, initCode, 1 + (sender % 4))
        sender++
      }
    context.say(`${await reading} reads were answered`)
    return []
  },
}
