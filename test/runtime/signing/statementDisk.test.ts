import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { nodeKeyOf } from '../../../runtime/keys/nodeKey.ts'
import { bindConnectionKey, storedValidatorKey } from '../../../runtime/signing/connectionBinding.ts'
import { localSigner } from '../../../runtime/signing/signer.ts'
import { createSmallDisk } from '../../support/programs/smallDisk.ts'

const GENESIS = new Uint8Array(32).fill(7)
const keyOf = (first: number) => nodeKeyOf(new Uint8Array(32).fill(first))
const validator = keyOf(1)

/** Mounting one needs rights that not every machine gives. */
const disk = createSmallDisk(1)

describe.skipIf(disk === undefined)('given a validator key that is not in the data path', () => {
  const path = disk?.path ?? ''
  const file = join(path, 'validator-statement.json')
  const bind = (connection: number) =>
    bindConnectionKey(path, localSigner(validator), keyOf(connection).publicKey, GENESIS)
  /** The message, and the files afterwards. */
  const failure = async (connection: number): Promise<readonly unknown[]> => {
    const error = await bind(connection).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    return [error, readdirSync(path).filter(name => name !== 'filler')]
  }
  const refusal = (reason: string): unknown =>
    expect.objectContaining({
      name: 'CommandError',
      message: `The statement of the validator cannot be written to file ${file}: ${reason}. Make room in the data path, or give a folder that this node may write to with --data-path.`,
    })

  beforeAll(() => disk?.fill(0))
  afterAll(() => disk?.remove())

  test('when the disk is full, then the error says what to do, no part of a file is left, and a kept statement stays', async () => {
    expect(await failure(2)).toEqual([refusal('the disk is full'), []])
    disk?.makeRoom()
    await bind(2)
    disk?.fill(0)
    expect(await failure(3)).toEqual([refusal('the disk is full'), ['validator-statement.json']])
    expect(storedValidatorKey(path)).toEqual(validator.publicKey)
  })

  test('when the file system is read-only, then the error says what to do, and the kept statement needs no write', async () => {
    expect(spawnSync('mount', ['-o', 'remount,ro', path]).status).toBe(0)
    expect(await failure(3)).toEqual([
      refusal('it is on a read-only file system'),
      ['validator-statement.json'],
    ])
    expect((await bind(2)).signature).toHaveLength(65)
  })
})
