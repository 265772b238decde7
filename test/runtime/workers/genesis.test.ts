import { describe, expect, test } from 'bun:test'
import { developmentGenesis } from '../../../core/genesis/development/development.ts'
import type { WorkerEnvironment } from '../../../runtime/workers/environment.ts'
import { readDeployedGenesis } from '../../../runtime/workers/genesis.ts'
import { rejection } from '../../support/rejection.ts'

const fileOf = (validator: number): string =>
  JSON.stringify(developmentGenesis({ validator: new Uint8Array(20).fill(validator) }))
const FILE = fileOf(1)
const HASH = new Bun.CryptoHasher('sha256').update(FILE).digest('hex')
/** Of somebody who can write to the bucket: his own validator. */
const FORGED = fileOf(2)

const bucketWith = (file: string): WorkerEnvironment => ({
  VALUES: {
    get: async key =>
      key === 'genesis.json'
        ? { size: file.length, arrayBuffer: async () => new TextEncoder().encode(file).buffer }
        : null,
    put: () => Promise.resolve(),
  },
})

describe('given a Worker whose genesis file is in the bucket that it checks', () => {
  test('when nothing else determines the file, then it is not trusted, with a trusted block neither', async () => {
    expect(await readDeployedGenesis(bucketWith(FORGED))).toMatchObject({ isTrusted: false })
    const env = { ...bucketWith(FORGED), TRUSTED_BLOCK: `5:0x${'ab'.repeat(32)}` }
    expect(await readDeployedGenesis(env)).toMatchObject({ isTrusted: false })
  })

  test('when the deployment has the hash of the file, then that file is trusted and no other is served', async () => {
    for (const written of [HASH, `0x${HASH.toUpperCase()}`])
      expect(await readDeployedGenesis({ ...bucketWith(FILE), GENESIS_SHA256: written })).toMatchObject({
        isTrusted: true,
      })
    const refused = await rejection(readDeployedGenesis({ ...bucketWith(FORGED), GENESIS_SHA256: HASH }))
    expect(String(refused)).toContain('GENESIS_SHA256 cannot be used: the genesis file has the SHA-256')
  })

  test('when the hash is none, then the deployment is refused', async () => {
    const refused = await rejection(readDeployedGenesis({ ...bucketWith(FILE), GENESIS_SHA256: 'abc' }))
    expect(String(refused)).toContain("'abc' is not what sha256sum genesis.json prints")
  })
})

test('given a Worker that has the file as its variable, then it is trusted', async () => {
  expect(await readDeployedGenesis({ GENESIS: FILE })).toMatchObject({ isTrusted: true })
})
