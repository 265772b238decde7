import type { Attack, AttackContext } from '../attack.ts'
import { holdBodies } from '../holdBodies.ts'

/** What a client of JSON-RPC can send: bodies that are costly to hold or to parse, and methods that are costly to answer. */

const ATTACK_MS = 10_000
const CALLERS = 8
const BODY_BYTES = 5 * 1024 * 1024

const requestText = (method: string, params: readonly unknown[], id = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

const batchText = (count: number, method: string, params: readonly unknown[]): string =>
  `[${Array.from({ length: count }, (_, id) => requestText(method, params, id)).join(',')}]`

/** `text` as often as it fits into the longest body that a node reads. */
const repeated = (text: string): string => text.repeat(Math.floor((BODY_BYTES - 1024) / text.length))

const word = (index: number): string => `0x${index.toString(16).padStart(64, '0')}`

/** Sends the bodies to one validator from so many callers at the same time, each the next one when it has an answer. */
const send = async (
  { cluster, say }: AttackContext,
  bodies: readonly string[],
  callers = CALLERS,
): Promise<readonly string[]> => {
  const { url } = cluster.node(1)
  const untilMs = performance.now() + ATTACK_MS
  const answers = new Map<number, number>()
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let next = caller; performance.now() < untilMs; next++) {
        const body = bodies[next % bodies.length] as string
        const response = await fetch(url, { method: 'POST', body })
        await response.arrayBuffer()
        answers.set(response.status, (answers.get(response.status) ?? 0) + 1)
      }
    }),
  )
  const counts = [...answers].map(([status, count]) => `${count} with ${status}`)
  say(`${callers} callers had answers: ${counts.join(', ')}`)
  return []
}

/** Of the greatest length that a node reads. */
export const LONG_BODIES: readonly string[] = [
  `[${repeated('{},')}{}]`,
  `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[${repeated('[],')}[]]}`,
  `{"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["${word(1).slice(0, 42)}",[${repeated('"0x1",')}"0x1"],"latest"]}`,
  `{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${repeated('\\\\')}"]}`,
  `{"jsonrpc":"2.0","id":${repeated('1')},"method":"eth_chainId"}`,
  repeated('x'),
]

const longBodies: Attack = {
  name: 'long-bodies',
  what: `Sends bodies of ${BODY_BYTES / 1024 / 1024} MiB without an end: batches of nothing, values, keys, escapes, digits and garbage.`,
  run: context => send(context, LONG_BODIES),
}

/** Fewer than an address may have under way: beyond that it is refused, as the watch of this machine would be. */
const SILENT_SHORT = 900
const SILENT_LONG = 50

const silentBodies: Attack = {
  name: 'silent-bodies',
  what: `Opens ${SILENT_SHORT} requests whose bodies never come, and ${SILENT_LONG} of which the last byte of 5 MiB is missing.`,
  run: async context => {
    const refused = await holdBodies(
      context,
      [
        { count: SILENT_SHORT, bytes: 1000 },
        { count: SILENT_LONG, bytes: BODY_BYTES },
      ],
      ATTACK_MS,
    )
    context.say(`${refused} of ${SILENT_SHORT + SILENT_LONG} were refused with 503`)
    return []
  },
}

/** Ten times what may be in flight. */
const LONG_AT_ONCE = 600

const longBodiesAtOnce: Attack = {
  name: 'long-bodies-at-once',
  what: `Sends ${LONG_AT_ONCE} bodies of 5 MiB at once over a line of 1 Gbit/s, all but their last bytes, twice.`,
  // As many bytes of bodies as may be in flight (256 MiB), with those of the first time until the collector has run.
  // On two cores the sender of three gigabytes takes a part of what four validators need: on Node 3.3 s were seen.
  limits: { growthMb: 1_280, answerMs: 5_000 },
  run: async context => {
    const faults: string[] = []
    for (let round = 0; round < 2; round++) {
      const refused = await holdBodies(context, [{ count: LONG_AT_ONCE, bytes: BODY_BYTES }], ATTACK_MS)
      context.say(`${refused} of ${LONG_AT_ONCE} were refused with 503`)
      if (refused < LONG_AT_ONCE / 2) faults.push(`only ${refused} of ${LONG_AT_ONCE} bodies were refused`)
    }
    return faults
  },
}

const feeHistories: Attack = {
  name: 'fee-histories',
  what: 'Has 100 callers ask for eth_feeHistory of 1,024 blocks with 100 percentiles each.',
  run: context =>
    send(
      context,
      [requestText('eth_feeHistory', ['0x400', 'latest', Array.from({ length: 100 }, (_, i) => i)])],
      100,
    ),
}

/**
 * Eight callers have each a body of up to 5 MiB under way: its text, its values and the answer. The collectors let as much garbage
 * stand beside them, V8's more than Bun's.
 */
const LONG_REQUEST_LIMITS = { growthMb: 768 }

const filterBatches: Attack = {
  name: 'filter-batches',
  what: 'Installs log filters in batches of 1,000, each with 70 topics, and some with 10,000.',
  limits: LONG_REQUEST_LIMITS,
  run: context => {
    const topics = (count: number) => [{ topics: [Array.from({ length: count }, (_, i) => word(i))] }]
    return send(context, [
      batchText(1000, 'eth_newFilter', topics(70)),
      batchText(7, 'eth_newFilter', topics(9_999)),
    ])
  },
}

const costlyReads: Attack = {
  name: 'costly-reads',
  what: 'Asks for proofs and values of 1,024 slots, for long ranges of logs, state overrides of 30,000 slots and 1,000 OpenRPC documents.',
  limits: LONG_REQUEST_LIMITS,
  run: context => {
    const account = word(1).slice(0, 42)
    const slots = Array.from({ length: 1024 }, (_, i) => word(i))
    const overrides = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [word(i), word(1)]))
    return send(context, [
      requestText('eth_getProof', [account, slots, 'latest']),
      requestText('eth_getStorageValues', [{ [account]: slots }, 'latest']),
      requestText('eth_getLogs', [{ fromBlock: 'earliest', toBlock: 'latest' }]),
      requestText('eth_call', [{ to: account }, 'latest', { [account]: { stateDiff: overrides } }]),
      batchText(1000, 'rpc_discover', []),
    ])
  },
}

export const REQUEST_ATTACKS: readonly Attack[] = [
  longBodies,
  silentBodies,
  longBodiesAtOnce,
  feeHistories,
  filterBatches,
  costlyReads,
]
