import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { createNodeKey } from '../../../runtime/keys/nodeKey.ts'
import { withFolder } from '../folder.ts'
import { runCommand } from '../nodeProcess.ts'

setDefaultTimeout(60_000)

const GENESIS = {
  config: { chainId: 1337, berlinBlock: 0, qbft: { blockperiodseconds: 2, epochlength: 30000 } },
  nonce: '0x0',
  gasLimit: '0x1fffffffffffff',
  difficulty: '0x1',
  mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
  alloc: {},
}

const generate = async (folder: string, config: unknown, ...args: readonly string[]) => {
  const file = join(folder, 'config.json')
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config))
  return runCommand([
    'operator',
    'generate-blockchain-config',
    `--config-file=${file}`,
    `--to=${join(folder, 'out')}`,
    ...args,
  ])
}

const validatorsOf = (folder: string, name = 'genesis.json'): readonly string[] => {
  const { extraData } = JSON.parse(readFileSync(join(folder, 'out', name), 'utf8')) as { extraData: string }
  return decodeExtraData(fromHex(extraData)).validators.map(toHex)
}

describe('given operator generate-blockchain-config', () => {
  test('when it generates keys, then each is in its folder in Besu’s form, and the genesis file names them', () =>
    withFolder(async folder => {
      const config = { genesis: GENESIS, blockchain: { nodes: { generate: true, count: 3 } } }
      expect((await generate(folder, config)).code).toBe(0)
      const addresses = readdirSync(join(folder, 'out/keys')).sort()
      expect(validatorsOf(folder)).toEqual(addresses)
      for (const address of addresses) {
        const home = join(folder, 'out/keys', address)
        expect(readFileSync(join(home, 'key.priv'), 'utf8')).toMatch(/^0x[0-9a-f]{64}$/)
        expect(statSync(join(home, 'key.priv')).mode & 0o777).toBe(0o600)
        const key = `--node-private-key-file=${join(home, 'key.priv')}`
        expect((await runCommand(['public-key', 'export', key])).out.trim()).toBe(
          readFileSync(join(home, 'key.pub'), 'utf8'),
        )
      }
      expect((await runCommand(['genesis', 'check', join(folder, 'out/genesis.json')])).code).toBe(0)
      const again = await generate(folder, config)
      expect([again.code, again.error]).toEqual([1, 'Output directory already exists.\n'])
    }))

  test('when it is given public keys and names, then only those are written', () =>
    withFolder(async folder => {
      const keys = [createNodeKey(), createNodeKey()]
      const config = {
        genesis: { ...GENESIS, timestamp: 1 },
        blockchain: { nodes: { keys: keys.map(({ publicKey }) => toHex(publicKey)) } },
      }
      mkdirSync(join(folder, 'out'))
      const names = ['--genesis-file-name=g.json', '--public-key-file-name=p']
      expect((await generate(folder, config, ...names)).code).toBe(0)
      expect(validatorsOf(folder, 'g.json')).toEqual(keys.map(({ address }) => toHex(address)).sort())
      for (const { address, publicKey } of keys) {
        const home = join(folder, 'out/keys', toHex(address))
        expect(readdirSync(home)).toEqual(['p'])
        expect(readFileSync(join(home, 'p'), 'utf8')).toBe(toHex(publicKey))
      }
    }))

  const nodes = { generate: true, count: 1 }
  const bad: readonly (readonly [config: unknown, text: string])[] = [
    ['', 'not valid JSON: '],
    ['{"genesis": {"config"', 'not valid JSON: '],
    ['['.repeat(100), 'not valid JSON: '],
    [[], 'must hold a JSON object'],
    [{ blockchain: { nodes } }, 'has no genesis section'],
    [{ genesis: GENESIS }, 'has no blockchain.nodes section'],
    [{ genesis: { alloc: {} }, blockchain: { nodes } }, 'Missing config section in config file'],
    [{ genesis: { config: { ibft2: {} } }, blockchain: { nodes } }, 'config has no qbft section'],
    [
      { genesis: { config: { qbft: {}, ecCurve: 'secp256r1' } }, blockchain: { nodes } },
      'only secp256k1 is supported',
    ],
    [{ genesis: GENESIS, blockchain: { nodes: { generate: true, count: 1e6 } } }, 'from 1 to 1000'],
    [
      { genesis: GENESIS, blockchain: { nodes: { keys: ['0x12'] } } },
      '"0x12" is not a valid public key for elliptic curve secp256k1',
    ],
    [
      { genesis: GENESIS, blockchain: { nodes: { keys: [`0x${'11'.repeat(64)}`] } } },
      'is not a valid public key for elliptic curve secp256k1',
    ],
    [{ genesis: { ...GENESIS, gasLimit: 'x' }, blockchain: { nodes } }, 'genesis: '],
  ]
  test('when the configuration is wrong, then one sentence says why and nothing is written', () =>
    withFolder(async folder => {
      for (const [config, text] of bad) {
        const { code, error } = await generate(folder, config)
        expect([code, error.trimEnd().split('\n')]).toEqual([1, [expect.stringContaining(text)]])
        expect(existsSync(join(folder, 'out'))).toBe(false)
      }
      const same = await generate(folder, {}, '--private-key-file-name=k', '--public-key-file-name=k')
      expect(same.error).toStartWith('Private key file name and public key file name must differ')
      const outside = await generate(folder, {}, '--genesis-file-name=../g.json')
      expect(outside.error).toStartWith("'../g.json' is not the name of a file")
    }))
})
