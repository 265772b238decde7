import { join } from 'node:path'
import process from 'node:process'
import { toHex } from '../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../core/genesis/development/accounts.ts'
import { startAnvil } from '../bench/engines/anvil.ts'
import { withFolder } from '../runtime/folder.ts'
import { startNode } from '../runtime/nodeProcess.ts'
import { until } from '../support/until.ts'

/*
 * The same requests to two forks of one network, one of this node and one of anvil: `bun test/compatibility/forkBesideAnvil.ts`.
 * The network is first a development chain of this node, then one of anvil. Prints the answers that differ, and ends with 1 if
 * one differs that is not in KNOWN.
 */

/** Differences that are meant. */
const KNOWN: readonly RegExp[] = [
  // anvil counts from the time of the block that it forks.
  /^\["evm_increaseTime"/,
  // anvil counts a block without its list of withdrawals, a byte.
  /\]\.size: /,
]

const [FIRST, SECOND] = DEVELOPMENT_ACCOUNTS.map(({ address }) => toHex(address)) as [string, string]
const STRANGER = '0x00000000000000000000000000000000000abcde'
const CONTRACT = '0x00000000000000000000000000000000000c0de0'
/** Without input it returns slot 0; with any it adds one to it and logs its topic 7. */
const COUNTS = '0x36600c575f545f5260205ff35b60015f54015f5560075f5fa1'
/** Reverts with the reason "no". */
const REVERTS = '0x62461bcd60e51b5f5260206004526002602452616e6f60f01b60445260645ffd'

type Fork = {
  readonly name: string
  readonly url: string
  rpc<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  stop(): Promise<unknown>
}

type Start = (name: string, args?: readonly string[]) => Promise<Fork>

const ownIn =
  (folder: string): Start =>
  async (name, args = []) => {
    const node = await startNode(join(folder, name), args)
    return { name: 'ours', url: node.url, rpc: (...call) => node.rpc(...call), stop: () => node.kill() }
  }

const anvilFork: Start = async (_, args = []) => {
  const anvil = await startAnvil(args)
  return { name: 'anvil', url: anvil.url, rpc: (...call) => anvil.rpc(...call), stop: () => anvil.stop() }
}

const TIMEOUT_MS = 30_000

/** The result or the error, in a form that can be compared. */
const answerOf = async (
  fork: Fork,
  [method, ...params]: readonly [string, ...unknown[]],
): Promise<unknown> => {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no answer in ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS).unref()
  })
  try {
    return await Promise.race([fork.rpc(method, ...params), late])
  } catch (error) {
    const { message } = error as Error
    return message.startsWith('no answer') ? message : 'error'
  }
}

/** Differences of two answers, by the path of the member. Members that only one of them has are not listed. */
function* differences(a: unknown, b: unknown, path: string): Generator<string> {
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) yield `${path}: ${a.length} and ${b.length} elements`
    for (const [index, one] of a.entries()) yield* differences(one, b[index], `${path}[${index}]`)
    return
  }
  if (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null) {
    for (const [name, one] of Object.entries(a))
      if (Object.hasOwn(b, name))
        yield* differences(one, (b as Record<string, unknown>)[name], `${path}.${name}`)
    return
  }
  const same = typeof a === 'string' && typeof b === 'string' ? a.toLowerCase() === b.toLowerCase() : a === b
  if (!same) yield `${path}: ${JSON.stringify(a)} and ${JSON.stringify(b)}`
}

/** Sends a transaction of an unlocked account, and waits for its block. */
const mined = async (on: Fork, transaction: object): Promise<string> => {
  const hash = await on.rpc<string>('eth_sendTransaction', {
    gas: '0x186a0',
    gasPrice: '0x2540be400',
    ...transaction,
  })
  await until(async () => (await on.rpc('eth_getTransactionReceipt', hash)) !== null, {
    what: `the receipt by ${on.name}`,
  })
  return hash
}

/** What a suite reads of the network that it forks. */
const reads = (
  counted: string,
  sent: string,
  blockHash: string,
): readonly (readonly [string, ...unknown[]])[] => [
  ['eth_chainId'],
  ['net_version'],
  ['eth_blockNumber'],
  ...['0x0', '0x1', '0x2', 'latest', 'earliest'].flatMap(
    block =>
      [
        ['eth_getBlockByNumber', block, true],
        ['eth_getBlockTransactionCountByNumber', block],
        ['eth_getBalance', STRANGER, block],
        ['eth_getBalance', FIRST, block],
        ['eth_getTransactionCount', FIRST, block],
        ['eth_getCode', CONTRACT, block],
        ['eth_getStorageAt', CONTRACT, '0x0', block],
        ['eth_call', { to: CONTRACT }, block],
      ] as const,
  ),
  ['eth_getBlockByHash', blockHash, false],
  ['eth_getBlockReceipts', '0x2'],
  ['eth_getTransactionByHash', counted],
  ['eth_getTransactionReceipt', sent],
  ['eth_getTransactionByBlockNumberAndIndex', '0x2', '0x0'],
  ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', address: CONTRACT }],
  ['eth_getBlockByNumber', '0xffff', false],
  ['eth_getTransactionByHash', `0x${'77'.repeat(32)}`],
  ['eth_estimateGas', { from: FIRST, to: STRANGER, value: '0x1' }],
  ['eth_call', { to: STRANGER, data: '0x01' }, 'latest'],
]

/** What a suite does on a fork; the same on both. */
const STEPS: readonly (readonly [string, ...unknown[]])[] = [
  ['anvil_setBalance', STRANGER, '0xde0b6b3a7640000'],
  ['eth_getBalance', STRANGER, 'latest'],
  ['anvil_impersonateAccount', STRANGER],
  ['anvil_setStorageAt', CONTRACT, `0x${'0'.repeat(64)}`, `0x${'9'.padStart(64, '0')}`],
  ['eth_call', { to: CONTRACT }, 'latest'],
  ['anvil_setCode', SECOND, REVERTS],
  ['eth_call', { to: SECOND }, 'latest'],
  ['eth_estimateGas', { from: FIRST, to: SECOND }],
  ['anvil_setCode', SECOND, '0x'],
  ['anvil_setNonce', STRANGER, '0x5'],
  ['eth_getTransactionCount', STRANGER, 'latest'],
  ['evm_increaseTime', '0x64'],
  ['evm_mine'],
  ['eth_blockNumber'],
  ['anvil_mine', '0x3'],
  ['eth_blockNumber'],
]

const compare = async (
  forks: readonly [Fork, Fork],
  calls: readonly (readonly [string, ...unknown[]])[],
): Promise<readonly string[]> => {
  const found: string[] = []
  for (const call of calls) {
    const [ours, theirs] = [await answerOf(forks[0], call), await answerOf(forks[1], call)]
    for (const difference of differences(ours, theirs, '')) found.push(`${JSON.stringify(call)}${difference}`)
  }
  return found
}

const forkAndCompare = async (startNetwork: Start, startOwn: Start): Promise<readonly string[]> => {
  const network = await startNetwork('network')
  try {
    await network.rpc('anvil_setCode', CONTRACT, COUNTS)
    await network.rpc('evm_mine')
    const counted = await mined(network, { from: FIRST, to: CONTRACT, data: '0x01' })
    const sent = await mined(network, { from: FIRST, to: STRANGER, value: '0x5' })
    const { hash } = await network.rpc<{ hash: string }>('eth_getBlockByNumber', '0x2', false)
    const ours = await startOwn('fork', [`--fork-url=${network.url}`])
    const anvil = await anvilFork('fork', ['--fork-url', network.url])
    try {
      const forks = [ours, anvil] as const
      const found = [...(await compare(forks, reads(counted, sent, hash)))]
      const ids = await Promise.all(forks.map(fork => fork.rpc('evm_snapshot')))
      found.push(...(await compare(forks, STEPS)))
      const hashes = await Promise.all(
        forks.map(fork => mined(fork, { from: FIRST, to: CONTRACT, data: '0x01' })),
      )
      const receipts = await Promise.all(
        forks.map((fork, index) =>
          fork.rpc<Record<string, unknown>>('eth_getTransactionReceipt', hashes[index]),
        ),
      )
      for (const name of ['status', 'gasUsed', 'blockNumber', 'from', 'to'])
        found.push(...differences(receipts[0]?.[name], receipts[1]?.[name], `receipt.${name}`))
      found.push(...(await compare(forks, [['eth_call', { to: CONTRACT }, 'latest']])))
      const reverted = await Promise.all(forks.map((fork, index) => fork.rpc('evm_revert', ids[index])))
      found.push(...differences(reverted[0], reverted[1], 'evm_revert'))
      found.push(
        ...(await compare(forks, [
          ['eth_blockNumber'],
          ['eth_call', { to: CONTRACT }, 'latest'],
          ['eth_getBalance', STRANGER, 'latest'],
        ])),
      )
      return found
    } finally {
      await Promise.all([ours.stop(), anvil.stop()])
    }
  } finally {
    await network.stop()
  }
}

await withFolder(async folder => {
  const startOwn = ownIn(folder)
  for (const [name, startNetwork, prefix] of [
    ['a development chain of this node', startOwn, 'own'],
    ['a chain of anvil', anvilFork, 'anvil'],
  ] as const) {
    const found = await forkAndCompare(startNetwork, (place, args) => startOwn(`${prefix}-${place}`, args))
    const others = found.filter(one => !KNOWN.some(known => known.test(one)))
    process.stdout.write(
      `forks of ${name}: ${found.length} differences, ${others.length} of them not known\n`,
    )
    for (const one of others) process.stdout.write(`  ${one}\n`)
    if (others.length > 0) process.exitCode = 1
  }
})
process.exit()
