import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { nodeKeyOf } from '../../../runtime/keys/nodeKey.ts'
import { decryptKeystore, encryptKeystore } from '../../../runtime/signing/keystore/encryption.ts'
import { parseKeystore } from '../../../runtime/signing/keystore/keystoreFile.ts'
import { testKey } from '../genesis.ts'
import { encryptKeystoreJsonSync, Wallet } from 'ethers'

/** Of the specification "Web3 Secret Storage", version 3. */
const VECTOR_KEY = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const VECTOR = {
  cipher: 'aes-128-ctr',
  cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
  ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
  kdf: 'pbkdf2',
  kdfparams: {
    c: 262_144,
    dklen: 32,
    prf: 'hmac-sha256',
    salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
  },
  mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
}

const KEY = nodeKeyOf(testKey(7))
const CHEAP = { n: 1024, r: 8, p: 1 }

describe('given an encrypted key', () => {
  test('when the specification gives it, then its password decrypts it', async () => {
    const text = JSON.stringify({ version: 3, crypto: VECTOR })
    const { privateKey } = await decryptKeystore(parseKeystore(text), 'testpassword')
    expect(toHex(privateKey)).toBe(VECTOR_KEY)
  })

  test('when this program encrypts it, then ethers decrypts it, and the other way round', async () => {
    const text = await encryptKeystore(KEY, 'päßword', CHEAP)
    const wallet = Wallet.fromEncryptedJsonSync(text, 'päßword')
    expect(wallet.address.toLowerCase()).toBe(toHex(KEY.address))
    const theirs = encryptKeystoreJsonSync(
      { address: toHex(KEY.address), privateKey: toHex(KEY.privateKey) },
      'päßword',
      { scrypt: { N: 1024, r: 8, p: 1 } },
    )
    expect(toHex((await decryptKeystore(parseKeystore(theirs), 'päßword')).privateKey)).toBe(
      toHex(KEY.privateKey),
    )
  })

  test('when it is decrypted, then timers run meanwhile', async () => {
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    await decryptKeystore(
      parseKeystore(await encryptKeystore(KEY, 'secret', { n: 65_536, r: 8, p: 1 })),
      'secret',
    )
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(3)
  })

  const change = (edit: (file: ReturnType<typeof JSON.parse>) => unknown) => async () => {
    const file = JSON.parse(await encryptKeystore(KEY, 'secret', CHEAP))
    edit(file)
    return decryptKeystore(parseKeystore(JSON.stringify(file)), 'secret')
  }

  test.each<readonly [string, string, (file: ReturnType<typeof JSON.parse>) => unknown]>([
    ['another version', 'version 3', file => (file.version = 4)],
    ['no crypto', 'no object crypto', file => delete file.crypto],
    ['another cipher', 'aes-128-ctr', file => (file.crypto.cipher = 'aes-256-gcm')],
    ['another derivation', 'scrypt or pbkdf2', file => (file.crypto.kdf = 'argon2')],
    ['n of no power of two', 'power of two', file => (file.crypto.kdfparams.n = 1000)],
    ['too much memory', 'MiB', file => (file.crypto.kdfparams.n = 2 ** 24)],
    ['too much work', 'twice the work', file => Object.assign(file.crypto.kdfparams, { n: 2 ** 18, p: 3 })],
    [
      'too many iterations',
      'from 1 to 2000000',
      file => Object.assign(file.crypto, { kdf: 'pbkdf2', kdfparams: { ...VECTOR.kdfparams, c: 2_000_001 } }),
    ],
    [
      'n too large for its r',
      '16 r',
      file => Object.assign(file.crypto.kdfparams, { n: 262_144, r: 1, p: 8 }),
    ],
    ['a short ciphertext', '31 bytes', file => (file.crypto.ciphertext = '00'.repeat(31))],
    ['a changed ciphertext', 'password is wrong', file => (file.crypto.ciphertext = '00'.repeat(32))],
    ['the address of another key', 'another one', file => (file.address = '00'.repeat(20))],
  ])('when it has %s, then it is refused', (_what, reason, edit) => {
    expect(change(edit)()).rejects.toThrow(reason)
  })

  test('when the password is wrong, or the text no JSON, then it is refused', async () => {
    const keystore = parseKeystore(await encryptKeystore(KEY, 'secret', CHEAP))
    expect(decryptKeystore(keystore, 'Secret')).rejects.toThrow('the password is wrong')
    expect(() => parseKeystore('{')).toThrow('not JSON')
  })
})
