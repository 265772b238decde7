import { expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { nodeKeyOf } from '../../../runtime/keys/nodeKey.ts'
import { encryptKeystore } from '../../../runtime/signing/keystore/encryption.ts'
import {
  CLIENT_EXTENSION,
  createAuthority,
  HAS_OPENSSL,
  SERVER_EXTENSION,
} from '../../support/programs/certificates.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { genesisText, testAddress, testKey } from '../genesis.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../nodeProcess.ts'
import { startSigner } from './signerServer.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

const headOf = async (node: NodeProcess): Promise<number> => Number(await node.rpc<string>('eth_blockNumber'))

test.skipIf(!HAS_OPENSSL)(
  'given two validators, one with an encrypted key and one with a remote signer, then they make blocks; without the signer one sentence says so, and they go on when it is back',
  async () => {
    await withFolder(async folder => {
      const [first, second] = [join(folder, 'first'), join(folder, 'second')]
      for (const path of [first, second]) mkdirSync(path)
      const genesis = join(folder, 'genesis.json')
      writeFileSync(genesis, genesisText({ validators: [1, 2] }))
      const keystore = join(folder, 'keystore.json')
      const cheap = { n: 1024, r: 8, p: 1 }
      writeFileSync(keystore, await encryptKeystore(nodeKeyOf(testKey(1)), 'secret', cheap), { mode: 0o600 })
      const password = join(folder, 'password')
      writeFileSync(password, 'secret\n', { mode: 0o600 })
      const authority = createAuthority(folder, 'signers')
      const client = authority.issue('client', CLIENT_EXTENSION)
      const certificate = authority.issue('signer', SERVER_EXTENSION)
      let signer = await startSigner(testKey(2), certificate, authority)
      const { port } = signer
      const common = [
        '--rpc-http-enabled',
        `--genesis-file=${genesis}`,
        '--rpc-http-api=ETH,ADMIN,QBFT',
        '--p2p-host=127.0.0.1',
      ]
      const nodes: NodeProcess[] = []
      try {
        const one = await startNode(first, [
          ...common,
          '--security-module=keystore',
          `--keystore-file=${keystore}`,
          `--keystore-password-file=${password}`,
        ])
        nodes.push(one)
        const { enode } = await one.rpc<{ enode: string }>('admin_nodeInfo')
        const two = await startNode(second, [
          ...common,
          `--bootnodes=${enode}`,
          '--security-module=remote',
          `--remote-signer-urls=${signer.url}`,
          `--remote-signer-ca-file=${authority.cert}`,
          `--remote-signer-client-cert-file=${client.cert}`,
          `--remote-signer-client-key-file=${client.key}`,
        ])
        nodes.push(two)
        expect(two.output()).toContain(toHex(testAddress(2)).slice(2, 10))
        await until(async () => (await headOf(one)) >= 2, { timeoutMs: PROCESS_TEST_TIMEOUT_MS })

        await signer.stop()
        await until(() => two.output().includes('gave no signature'), { timeoutMs: PROCESS_TEST_TIMEOUT_MS })
        const stalledAt = await headOf(two)
        signer = await startSigner(testKey(2), certificate, authority, port)
        await until(async () => (await headOf(two)) >= stalledAt + 2, { timeoutMs: PROCESS_TEST_TIMEOUT_MS })
        expect(two.output().match(/gave no signature/g)).toHaveLength(1)

        // With the kept statement it starts while its signer is away.
        await signer.stop()
        await two.kill()
        const again = await startNode(second, [
          ...common,
          '--security-module=remote',
          `--remote-signer-urls=${signer.url}`,
        ])
        nodes.push(again)
        expect(await headOf(again)).toBeGreaterThanOrEqual(stalledAt)
      } finally {
        for (const node of nodes) await node.kill()
        await signer.stop()
      }
    })
  },
)

test('given keys that others may read, wrong passwords, an absent signer or devp2p, when a node starts, then one sentence says what to do', async () => {
  await withFolder(async folder => {
    const genesis = join(folder, 'genesis.json')
    writeFileSync(genesis, genesisText())
    const key = join(folder, 'open.key')
    writeFileSync(key, toHex(testKey(1)))
    chmodSync(key, 0o644)
    const keystore = join(folder, 'keystore.json')
    const cheap = { n: 1024, r: 8, p: 1 }
    writeFileSync(keystore, await encryptKeystore(nodeKeyOf(testKey(1)), 'secret', cheap), { mode: 0o600 })
    const password = join(folder, 'password')
    writeFileSync(password, 'wrong', { mode: 0o600 })
    const start = async (name: string, ...args: readonly string[]): Promise<string> => {
      const { code, error, out } = await runCommand([
        `--data-path=${join(folder, name)}`,
        `--genesis-file=${genesis}`,
        '--rpc-http-port=0',
        '--p2p-port=0',
        ...args,
      ])
      expect(code).not.toBe(0)
      return `${error}${out}`
    }
    expect(await start('a', `--node-private-key-file=${key}`)).toContain(`Run: chmod 600 ${key}`)
    const module = ['--security-module=keystore', `--keystore-file=${keystore}`]
    expect(await start('b', ...module, `--keystore-password-file=${password}`)).toContain(
      'the password is wrong',
    )
    expect(await start('c', ...module)).toContain('--keystore-password-file')
    expect(
      await start('d', '--security-module=remote', '--remote-signer-urls=https://127.0.0.1:1'),
    ).toContain('The remote signer cannot be used: https://127.0.0.1:1: connection refused')
    expect(await start('e', ...module, '--p2p-protocol=devp2p')).toContain(
      'over devp2p a validator is known by',
    )
    expect(await start('f', '--security-module=remote', '--remote-signer-urls=http://signer')).toContain(
      'use https',
    )
  })
})
