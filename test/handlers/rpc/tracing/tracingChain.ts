import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { compile } from '../../../support/programs/solc.ts'
import { ACCOUNTS, startTestNode, type TestNode, type TestNodeOptions } from '../../support/testNode.ts'

export const CHAIN_ID = 1337
const TRACED_APIS = ['ETH', 'NET', 'WEB3', 'DEBUG', 'TRACE']

const [sender] = ACCOUNTS as unknown as readonly [{ readonly privateKey: Hex }]
export const SENDER = privateKeyToAccount(sender.privateKey)

/** The contract `Tracing` and what it makes, by their addresses: the sender's first, and that one's first. */
export const TRACING: Hex = getContractAddress({ from: SENDER.address, nonce: 0n }).toLowerCase() as Hex
export const CHILD: Hex = getContractAddress({ from: TRACING, nonce: 1n }).toLowerCase() as Hex
export const STRANGER: Hex = `0x${'aa'.repeat(20)}`
export const HEIR: Hex = `0x${'bb'.repeat(20)}`
const SALT: Hex = `0x${'11'.repeat(32)}`

export type Sent = { readonly name: string; readonly transaction: Hex }

type Fields = { readonly to?: Hex; readonly data?: Hex; readonly value?: bigint; readonly gas?: bigint }

const abi = (): Abi => compile('Tracing').abi

/** Input of a function of `Tracing`. */
export const encoded = (functionName: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: abi(), functionName, args })

const calling = (name: string, args: readonly unknown[], more: Fields = {}): readonly [string, Fields] => [
  name,
  { to: TRACING, data: encoded(name, ...args), ...more },
]

/** One transaction for each thing that traces tell of, one a block, in this order. */
const plan = (): readonly (readonly [name: string, fields: Fields])[] => [
  ['deploy', { data: encodeDeployData({ abi: abi(), bytecode: compile('Tracing').bytecode }), value: 1000n }],
  calling('callAndLog', [5n], { value: 7n }),
  calling('precompiles', ['0x1234']),
  calling('delegated', [77n]),
  calling('caught', []),
  calling('uncaught', []),
  calling('create', [3n, SALT]),
  ['collision', { to: TRACING, data: encoded('create', 3n, SALT) }],
  calling('tryCreate', [13n]),
  calling('looks', [TRACING]),
  calling('send', [STRANGER, 5n]),
  ['sendTooMuch', { to: TRACING, data: encoded('send', STRANGER, 10n ** 20n) }],
  calling('createAndLeave', [HEIR], { value: 3n }),
  calling('panics', [5n]),
  ['outOfGas', { to: TRACING, data: encoded('write', 0n, 40n), gas: 300_000n }],
  ['transfer', { to: STRANGER, value: 1n }],
]

/** The plan, signed. */
export const signedPlan = async (): Promise<readonly Sent[]> =>
  Promise.all(
    plan().map(async ([name, fields], nonce) => ({
      name,
      transaction: await SENDER.signTransaction({
        chainId: CHAIN_ID,
        type: 'eip1559',
        nonce,
        gas: 3_000_000n,
        maxFeePerGas: 2_000_000_000n,
        maxPriorityFeePerGas: 1n,
        ...fields,
      }),
    })),
  )

export type TracingChain = {
  readonly node: TestNode
  /** Of the plan's transactions, by name. */
  readonly hashes: Readonly<Record<string, Hex>>
  /** The number of the block that has it, as JSON-RPC takes it. */
  blockOf(name: string): Hex
}

/** A chain with the plan's transactions, one a block from block 1 on. */
export const startTracingChain = async (options: TestNodeOptions = {}): Promise<TracingChain> => {
  const node = await startTestNode({ ...options, rpc: { apis: TRACED_APIS, ...options.rpc } })
  const sent = await signedPlan()
  const hashes: Record<string, Hex> = {}
  for (const { name, transaction } of sent) {
    hashes[name] = (await node.call('eth_sendRawTransaction', transaction)) as Hex
    await node.mine()
  }
  return {
    node,
    hashes,
    blockOf: name => `0x${(sent.findIndex(one => one.name === name) + 1).toString(16)}`,
  }
}

/** Calls of the node of a chain that is started later; `error` gives code and message of a refusal. */
export const callsOf = (chain: () => TracingChain) => ({
  call: (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    chain().node.call(method, ...params),
  error: async (method: string, ...params: readonly unknown[]) => {
    const { error } = await chain().node.rpc(method, ...params)
    return [error?.code, error?.message]
  },
})
