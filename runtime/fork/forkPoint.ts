import { readFileSync } from 'node:fs'
import { equalBytes, type Hash } from '../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../core/bytes/hex.ts'
import { RpcError } from '../../handlers/rpc/errors.ts'
import { CommandError } from '../cli/errors.ts'
import { writeFileAtomically } from '../files/atomic.ts'
import { quantityOf } from './fields.ts'
import { forkPath } from './forkPath.ts'
import { readForeignHead } from './readForeign.ts'
import { createUpstream, forkUnavailable, type Upstream } from './upstream.ts'

/** Where a chain leaves another network. */
export type ForkPoint = {
  readonly upstream: Upstream
  readonly url: string
  readonly number: number
  readonly hash: Hash
  readonly chainId: number
}

/** What a user asks for. */
export type ForkRequest = {
  readonly url: string
  /** Undefined for the head of the network. */
  readonly block: number | undefined
}

const numberOf = (what: string, value: unknown): number => {
  const number = quantityOf(what, value)
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) throw forkUnavailable(`${what} is ${number}`)
  return Number(number)
}

/** Asks the network for the block from which a chain forks it. @throws RpcError `FORK_UNAVAILABLE` */
export const chooseForkPoint = async ({ url, block }: ForkRequest): Promise<ForkPoint> => {
  const upstream = createUpstream(url)
  const [chainId, head] = await Promise.all([
    upstream.call('eth_chainId', []),
    upstream.call('eth_blockNumber', []),
  ])
  const last = numberOf('eth_blockNumber', head)
  const number = block ?? last
  if (number > last) throw forkUnavailable(`its head is block ${last}, which is before block ${number}`)
  const { hash } = await readForeignHead(upstream, number)
  return { upstream, url, number, hash, chainId: numberOf('eth_chainId', chainId) }
}

type Kept = { readonly url: string; readonly block: number; readonly hash: string; readonly chainId: number }

const readKept = (dataPath: string): Kept | undefined => {
  try {
    return JSON.parse(readFileSync(forkPath(dataPath), 'utf8')) as Kept
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ENOENT') return undefined
    throw new CommandError('DATA_PATH', `${forkPath(dataPath)} cannot be read: ${String(cause)}`)
  }
}

/** Keeps the fork point of a new chain in its data path. */
export const keepForkPoint = (dataPath: string, { url, number, hash, chainId }: ForkPoint): void => {
  const kept: Kept = { url, block: number, hash: toHex(hash), chainId }
  writeFileAtomically(forkPath(dataPath), `${JSON.stringify(kept, undefined, 2)}\n`)
}

const asCommandError = (error: unknown): unknown =>
  error instanceof RpcError
    ? new CommandError('START_FAILED', `${error.message}. Check --fork-url and --fork-block.`)
    : error

const otherFork = (dataPath: string, { block, hash }: Kept): CommandError =>
  new CommandError(
    'DATA_PATH',
    `${dataPath} holds a chain that forks another block (${block}, ${hash}): leave out --fork-block, or give another --data-path`,
  )

/** The kept fork point. Its network is asked again only if another URL is given. */
const keptForkPoint = async (
  dataPath: string,
  kept: Kept,
  url: string | undefined,
  block: number | undefined,
): Promise<ForkPoint> => {
  if (block !== undefined && block !== kept.block) throw otherFork(dataPath, kept)
  const hash = fromHex(kept.hash.slice(2))
  if (url === undefined || url === kept.url)
    return {
      upstream: createUpstream(kept.url),
      url: kept.url,
      number: kept.block,
      hash,
      chainId: kept.chainId,
    }
  const point = await chooseForkPoint({ url, block: kept.block })
  if (!equalBytes(point.hash, hash)) throw otherFork(dataPath, kept)
  return point
}

/**
 * The fork point of the chain in a data path, or of the new one that the options ask for; undefined without either.
 * @param isNew whether the data path has no chain yet
 * @throws CommandError
 */
export const openForkPoint = async (
  dataPath: string,
  isNew: boolean,
  url: string | undefined,
  block: number | undefined,
): Promise<ForkPoint | undefined> => {
  const kept = readKept(dataPath)
  try {
    if (kept !== undefined) return await keptForkPoint(dataPath, kept, url, block)
    if (url === undefined) return undefined
    if (!isNew)
      throw new CommandError(
        'DATA_PATH',
        `${dataPath} holds a chain that forks no other network: give another --data-path with --fork-url`,
      )
    return await chooseForkPoint({ url, block })
  } catch (error) {
    throw asCommandError(error)
  }
}
