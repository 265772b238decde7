import * as fc from 'fast-check'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { parametersOf } from '../../handlers/rpc/fuzz/arbitraries.ts'
import { faultOf } from '../../handlers/rpc/fuzz/asked.ts'
import { PAST } from '../../handlers/rpc/fuzz/past.ts'
import type { TokenChain } from './readerRequests.ts'

/** Requests for each method; FUZZ_RUNS asks for more. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 8)
const SEED = process.env['FUZZ_SEED'] === undefined ? 1 : Number(process.env['FUZZ_SEED'])
const CONNECTIONS = 8

/** What is no JSON-RPC request, or hardly one. */
const BODIES: readonly string[] = [
  '',
  '{',
  '[]',
  'null',
  '\u0000',
  '[1,2,3]',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":{},"method":[]}',
  '['.repeat(100_000),
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  `[${Array.from({ length: 2_000 }, () => '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}').join(',')}]`,
  `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(100_000)}"}`,
  `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"data":"0x${'5b'.repeat(200_000)}"}]}`,
  '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"data":"0x5b600056","gas":"0xffffffffffff"},"latest"]}',
]

/** Bodies of hostile requests: the corpus of the fuzzers of JSON-RPC, about a chain. */
export const hostileBodies = ({ account, token, hashes }: TokenChain): readonly string[] => {
  const parameters = parametersOf({
    addresses: [account, token],
    hashes,
    transactions: ['0x70a08231', '0x5b600056'],
  })
  const body = (method: string, params: readonly unknown[]): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return [
    ...BODIES,
    ...PAST.map(([method, ...params]) => body(method, params)),
    ...METHODS.flatMap(row =>
      fc.sample(parameters(row), { numRuns: RUNS, seed: SEED }).map(params => body(row.name, params)),
    ),
  ]
}

/** Hostile GraphQL. */
export const HOSTILE_QUERIES: readonly string[] = [
  '',
  '{',
  '{ nothing }',
  '{ block(number: -1) { number } }',
  '{ block(hash: "0x") { number } }',
  `{ ${Array.from({ length: 500 }, (_, i) => `a${i}: block(number: ${i}) { number }`).join(' ')} }`,
  `{ block { ${'parent { '.repeat(40)}number${' }'.repeat(40)} } }`,
  '{ blocks(from: 0, to: 100000000) { transactions { logs { data } } } }',
  '{ logs(filter: { fromBlock: 0, toBlock: 999999999, addresses: [] }) { data } }',
  '{ block { call(data: { data: "0x5b600056", gas: 9000000000000 }) { status } } }',
  '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
  'fragment a on Block { ...b } fragment b on Block { ...a } { block { ...a } }',
  'mutation { sendRawTransaction(data: "0x00") }',
]

/** Statuses that a server may answer with: it is busy, has no head yet, or the time for GraphQL is over. */
const NAMED: readonly number[] = [503, 504]

/** What is wrong with an answer; undefined where nothing is. */
const faultOfAnswer = async (body: string, response: Response): Promise<string | undefined> => {
  const text = await response.text()
  const { status } = response
  if (status >= 500 && !NAMED.includes(status))
    return `${status} for ${body.slice(0, 200)}: ${text.slice(0, 200)}`
  if (status !== 200 || text.startsWith('[') || text === '') return undefined
  const fault = faultOf(text)
  return fault === undefined ? undefined : `${body.slice(0, 300)}: ${fault}: ${text.slice(0, 300)}`
}

/** Sends each body over a few connections. Gives what was wrong with the answers. */
export const faultsOf = async (url: string, bodies: readonly string[]): Promise<readonly string[]> => {
  const faults: string[] = []
  let next = 0
  const send = async (): Promise<void> => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const fault = await faultOfAnswer(body, response)
      if (fault !== undefined) faults.push(fault)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  return faults
}

/** The same for GraphQL, whose answers have their own form. */
export const statusesOfQueries = async (url: string): Promise<readonly number[]> => {
  const statuses: number[] = []
  for (const query of HOSTILE_QUERIES) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    await response.text()
    statuses.push(response.status)
  }
  return statuses
}
