import { fromHex } from '../../core/bytes/hex.ts'
import type { Address } from '../../core/bytes/bytes.ts'
import { addressOfPublicKey } from '../../core/crypto/crypto.ts'
import type { KeyValueStore } from '../../core/store/keyvalue.ts'
import { EnodeError, parseEnode } from '../../p2p/transport/enode.ts'
import type { Log } from '../logging/log.ts'

/** Beside the keys of the chain (core/store/keys.ts): a JSON array of enode URLs, the one learned last at the end. */
const LEARNED_KEY = 'p2p:learned'

/** The validators of a large network and as many others; the one learned first goes, but a validator only for another. */
const LEARNED_MAX = 64

/**
 * The nodes this one was connected with. After a restart it finds them by itself, also when its bootnodes are gone for
 * good: two thirds of the validators have to find each other whichever they are.
 */
export type LearnedNodes = {
  readonly list: () => readonly string[]
  /** Returns at once. One of whom it is not known where it listens is left out. */
  add(enode: string): void
  /** Resolves when what was added is kept, or could not be. */
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
    log.warn('The nodes that were connected before cannot be read, they have to be found again: {error}', {
      error,
    })
    return []
  }
}

const SCHEME = 'enode://'
const keyOf = (enode: string): string => enode.slice(SCHEME.length, enode.indexOf('@'))

/** @throws what the storage throws when it cannot be read */
export const openLearnedNodes = async (
  storage: Pick<KeyValueStore, 'get' | 'setDurably'>,
  log: Log,
  isValidator: (address: Address) => boolean,
): Promise<LearnedNodes> => {
  let nodes = read(await storage.get(LEARNED_KEY), log)
  let isWritten = true
  let writing: Promise<void> = Promise.resolve()

  /** Those that come together while one list is written are written together. */
  const write = async (): Promise<void> => {
    if (isWritten) return
    isWritten = true
    try {
      await storage.setDurably({ key: LEARNED_KEY, value: new TextEncoder().encode(JSON.stringify(nodes)) })
    } catch (error) {
      log.warn('The nodes that are connected could not be kept for the next start: {error}', { error })
    }
  }

  /** Whoever comes with one new key after the other pushes out others, but none of those that blocks wait for. */
  const withRoom = (others: readonly string[]): readonly string[] => {
    if (others.length < LEARNED_MAX) return others
    const first = others.findIndex(node => !isValidator(addressOfPublicKey(fromHex(keyOf(node)))))
    return others.toSpliced(Math.max(0, first), 1)
  }

  return {
    list: () => nodes,
    add: enode => {
      if (nodes.includes(enode) || !isEnode(enode)) return
      const key = keyOf(enode)
      nodes = [...withRoom(nodes.filter(node => keyOf(node) !== key)), enode]
      isWritten = false
      writing = writing.then(write)
    },
    settled: () => writing,
  }
}
