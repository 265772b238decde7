import { toBareHex } from '../../core/bytes/hex.ts'
import type { Genesis } from '../../core/genesis/genesis.ts'
import { parseGenesisText } from '../../core/genesis/parse/parse.ts'
import type { WorkerEnvironment } from './environment.ts'
import { SettingsError } from './settings.ts'

/** The genesis file of a deployment. */
export type DeployedGenesis = {
  readonly genesis: Genesis
  /**
   * True where the deployment itself determines the file. One that comes from the bucket that is to be checked names the
   * validators, the forks and the transitions by which it would be checked, and proves nothing.
   */
  readonly isTrusted: boolean
}

const GENESIS_OBJECT = 'genesis.json'

const storedGenesis = async ({
  VALUES,
  VALUES_KV,
}: WorkerEnvironment): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const inBucket = await (await VALUES?.get(GENESIS_OBJECT))?.arrayBuffer()
  if (inBucket !== undefined) return new Uint8Array(inBucket)
  const inNamespace = await VALUES_KV?.get(GENESIS_OBJECT, 'arrayBuffer')
  return inNamespace === undefined || inNamespace === null ? undefined : new Uint8Array(inNamespace)
}

/** @throws SettingsError where it is not there, or not the one that the deployment names; GenesisError */
export const readDeployedGenesis = async (env: WorkerEnvironment): Promise<DeployedGenesis> => {
  const { GENESIS = '', GENESIS_SHA256 = '' } = env
  const expected = GENESIS_SHA256.toLowerCase().replace(/^0x/, '')
  if (expected !== '' && !/^[0-9a-f]{64}$/.test(expected))
    throw new SettingsError(
      'GENESIS_SHA256',
      `'${GENESIS_SHA256}' is not what sha256sum ${GENESIS_OBJECT} prints, 64 hex digits`,
    )
  const bytes = GENESIS === '' ? await storedGenesis(env) : new TextEncoder().encode(GENESIS)
  if (bytes === undefined)
    throw new SettingsError(
      'GENESIS',
      `it is empty, and ${GENESIS_OBJECT} is neither in VALUES nor in VALUES_KV`,
    )
  const found = toBareHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
  if (expected !== '' && found !== expected)
    throw new SettingsError('GENESIS_SHA256', `the genesis file has the SHA-256 ${found}`)
  return {
    genesis: parseGenesisText(new TextDecoder().decode(bytes)),
    isTrusted: GENESIS !== '' || expected !== '',
  }
}
