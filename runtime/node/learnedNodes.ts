import { fromHex } from '../../core/bytes/hex.ts'
import type { Address } from '../../core/bytes/bytes.ts'
import { addressOfPublicKey } from '../../core/crypto/crypto.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { EnodeError, parseEnode } from '../../p2p/transport/enode.ts'
import type { Log } from '../logging/log.ts'

/** Storage key beside those of the chain (core/store/keys.ts): a JSON array of enode URLs, the newest last. */
const LEARNED_KEY = 'p2p:learned'

/** Maximum nodes: the validators of a large network and as many others. The oldest is evicted first, validators last. */
const LEARNED_MAX = 64

/**
 * Nodes that were connected before. After a restart the node dials them, too, and so needs no bootnode: any two thirds of the
 * validators must be able to find each other.
 */
export type LearnedNodes = {
  readonly list: () => readonly string[]
  /** Adds a node and returns at once; ignores an enode URL without a port. */
  add(enode: string): void
  /** Resolves when the writes in progress have ended. */
  settled(): Promise<void>
}

const isEnode = (text: unknown): text is string => {
  if (typeof text !== 'string') return false
  try {
    parseEnode(text)
    return true
  } catch (error) {
    if (error instanceof EnodeError) return false
    throw error
  }
}

const read = (bytes: Uint8Array | undefined, log: Log): readonly string[] => {
  if (bytes === undefined) return []
  try {
    return (JSON.parse(new TextDecoder().decode(bytes)) as readonly unknown[])
      .filter(isEnode)
      .slice(-LEARNED_MAX)
  } catch (error) {
    log.warn('The nodes of earlier connections cannot be read and must be discovered again: {error}', {
      error,
    })
    return []
  }
}

const SCHEME = 'enode://'
const keyOf = (enode: string): string => enode.slice(SCHEME.length, enode.indexOf('@'))

/** @throws the storage's error if it cannot be read */
export const openLearnedNodes = async (
  storage: Pick<KeyValueStore, 'get' | 'setDurably'>,
  log: Log,
  isValidator: (address: Address) => boolean,
): Promise<LearnedNodes> => {
  let nodes = read(await storage.get(LEARNED_KEY), log)
  let isWritten = true
  let writing: Promise<void> = Promise.resolve()

  /** Nodes that are added during a write are written together by the next one. */
  const write = async (): Promise<void> => {
    if (isWritten) return
    isWritten = true
    try {
      await storage.setDurably({ key: LEARNED_KEY, value: new TextEncoder().encode(JSON.stringify(nodes)) })
    } catch (error) {
      log.warn('The connected nodes could not be stored for the next start: {error}', { error })
    }
  }

  /** Evicts a node that is not a validator: a peer with many keys must not evict the validators. */
  const evictOldest = (others: readonly string[]): readonly string[] => {
    if (others.length < LEARNED_MAX) return others
    const first = others.findIndex(node => !isValidator(addressOfPublicKey(fromHex(keyOf(node)))))
    return others.toSpliced(Math.max(0, first), 1)
  }

  return {
    list: () => nodes,
    add: enode => {
      if (nodes.includes(enode) || !isEnode(enode)) return
      const key = keyOf(enode)
      nodes = [...evictOldest(nodes.filter(node => keyOf(node) !== key)), enode]
      isWritten = false
      writing = writing.then(write)
    },
    settled: () => writing,
  }
}
