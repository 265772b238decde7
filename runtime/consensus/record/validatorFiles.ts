import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import { writeFileAtomicallyAsync } from '../../files/atomic.ts'
import type { Log } from '../../logging/log.ts'

import { type RecordOwner, validatorFolder } from './validatorFolder.ts'

/** The operator's votes: a JSON object, address to true (add) or false (drop). */
export const VOTES_KEY = 'qbft:votes'

/** Maximum kept pieces of evidence: the first ones name the faulty validators. */
export const EVIDENCE_MAX = 100

/** `qbft:evidence:0` to `qbft:evidence:99`. */
export const evidenceKey = (index: number): string => `qbft:evidence:${index}`

/** Small JSON values that must outlive the chain and its views: the operator's votes, and evidence. */
export type ValidatorFiles = {
  /** Also true for a damaged value. */
  has(key: string): Promise<boolean>
  /** Undefined if there is none. @throws ValidatorFileError and errors of the file system */
  get(key: string): Promise<string | undefined>
  /** Resolves when the value is durable. @throws errors of the file system */
  set(key: string, json: string): Promise<void>
  /** The path of a value, for a log line. */
  where(key: string): string
}

/** The value was damaged, or belongs to another validator or chain. */
export class ValidatorFileError extends Error {
  override readonly name = 'ValidatorFileError'
  readonly code = 'INVALID_VALIDATOR_FILE'
  constructor(path: string, detail: string) {
    super(`${path} ${detail}`)
  }
}

type FileContent = {
  readonly validator: string
  readonly genesis: string
  /** SHA-256 of `value` as JSON text. */
  readonly checksum: string
  readonly value: unknown
}

const checksumOf = (json: string): string => createHash('sha256').update(json).digest('hex')

const parse = (text: string): Partial<FileContent> | undefined => {
  try {
    const content: unknown = JSON.parse(text)
    return typeof content === 'object' && content !== null ? content : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const fileName = (key: string): string => `${key.replace('qbft:', '').replaceAll(':', '-')}.json`

const filesInFolder = (dataPath: string, owner: RecordOwner): ValidatorFiles => {
  const folder = validatorFolder(dataPath, owner)
  const validator = toHex(owner.address)
  const genesis = toHex(owner.genesisHash)
  const where = (key: string): string => join(folder, fileName(key))
  return {
    where,
    has: async key => existsSync(where(key)),
    get: async key => {
      const path = where(key)
      if (!existsSync(path)) return undefined
      const content = parse(await readFile(path, 'utf8'))
      const json = JSON.stringify(content?.value)
      if (content === undefined || json === undefined || content.checksum !== checksumOf(json))
        throw new ValidatorFileError(path, 'is damaged')
      if (content.validator !== validator || content.genesis !== genesis)
        throw new ValidatorFileError(
          path,
          `belongs to the validator ${content.validator} of the chain with genesis ${content.genesis}`,
        )
      return json
    },
    set: (key, json) => {
      // Text as JSON.stringify writes it, so that a reader computes the same checksum.
      const value: unknown = JSON.parse(json)
      const content: FileContent = { validator, genesis, checksum: checksumOf(JSON.stringify(value)), value }
      return writeFileAtomicallyAsync(where(key), `${JSON.stringify(content)}\n`)
    },
  }
}

type Storage = Pick<KeyValueStore, 'durability' | 'get' | 'setDurably'>

const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes)

/** Values in the storage of the chain, which end with it. */
export const validatorFilesInStorage = (storage: Storage): ValidatorFiles => ({
  where: key => `${key} in the storage`,
  has: async key => (await storage.get(key)) !== undefined,
  get: async key => text(await storage.get(key)),
  set: (key, json) => storage.setDurably({ key, value: new TextEncoder().encode(json) }),
})

/** Moves the values that an earlier release kept in the views to the files. */
const takeOver = async (files: ValidatorFiles, storage: Storage, log: Log): Promise<void> => {
  const keys = [VOTES_KEY, ...Array.from({ length: EVIDENCE_MAX }, (_, index) => evidenceKey(index))]
  for (const key of keys) {
    const json = text(await storage.get(key))
    if (json === undefined && key !== VOTES_KEY) return
    if (json === undefined) continue
    if (!(await files.has(key))) await files.set(key, json)
    await storage.setDurably({ key, value: undefined })
    log.info('Moved {key} from the views to {path}', { key, path: files.where(key) })
  }
}

/**
 * Opens the votes and the evidence of a validator: files beside its record of signed messages, or the storage if that is in
 * memory. @throws errors of the file system and the storage
 */
export const openValidatorFiles = async (
  dataPath: string,
  owner: RecordOwner,
  storage: Storage,
  log: Log,
): Promise<ValidatorFiles> => {
  if (storage.durability === 'none') return validatorFilesInStorage(storage)
  const files = filesInFolder(dataPath, owner)
  await takeOver(files, storage, log)
  return files
}
