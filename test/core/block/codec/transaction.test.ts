import { describe, expect, test } from 'bun:test'
import { parseTransaction, type TransactionSerializable } from 'viem'
import { privateKeyToAccount, sign as viemSign } from 'viem/accounts'
import { fromHex, toHex } from '../../../../core/bytes/hex.ts'
import { recoverSender, signingHash, signTransaction } from '../../../../core/block/codec/signature.ts'
import {
  decodeTransaction,
  encodeTransaction,
  transactionOf,
} from '../../../../core/block/codec/transaction.ts'
import { addressOfPrivateKey } from '../../../../core/crypto/crypto.ts'

const KEY = `0x${'45'.repeat(32)}` as const
const account = privateKeyToAccount(KEY)
const SENDER = addressOfPrivateKey(fromHex(KEY))
const TO = `0x${'22'.repeat(20)}` as const
const SLOT = `0x${'33'.repeat(32)}` as const
const accessList = [
  { address: TO, storageKeys: [SLOT, SLOT] },
  { address: TO, storageKeys: [] },
]

const signAuthorization = async () => {
  const unsigned = { contractAddress: TO, chainId: 1337, nonce: 0xffff_ffff }
  return account.signAuthorization(unsigned)
}

const cases: readonly (readonly [
  string,
  () => Promise<TransactionSerializable> | TransactionSerializable,
])[] = [
  ['legacy without EIP-155', () => ({ type: 'legacy', nonce: 0, gasPrice: 1n, gas: 21000n, to: TO })],
  [
    'legacy with EIP-155',
    () => ({
      type: 'legacy',
      chainId: 1337,
      nonce: 128,
      gasPrice: 2n ** 200n,
      gas: 21000n,
      to: TO,
      value: 1n,
    }),
  ],
  ['legacy creation', () => ({ type: 'legacy', chainId: 1, gasPrice: 7n, gas: 100_000n, data: '0x6001' })],
  [
    'EIP-2930',
    () => ({
      type: 'eip2930',
      chainId: 1337,
      nonce: 3,
      gasPrice: 5n,
      gas: 30_000n,
      to: TO,
      accessList,
      data: '0x00',
    }),
  ],
  [
    'EIP-1559',
    () => ({
      type: 'eip1559',
      chainId: 2 ** 40,
      maxFeePerGas: 9n,
      maxPriorityFeePerGas: 2n,
      gas: 30_000n,
      to: TO,
      accessList,
    }),
  ],
  [
    'EIP-1559 creation',
    () => ({ type: 'eip1559', chainId: 1, maxFeePerGas: 9n, gas: 30_000n, data: `0x${'ab'.repeat(300)}` }),
  ],
  [
    'EIP-4844',
    () => ({
      type: 'eip4844',
      chainId: 1,
      maxFeePerGas: 9n,
      maxFeePerBlobGas: 11n,
      gas: 30_000n,
      to: TO,
      blobVersionedHashes: [`0x01${'44'.repeat(31)}`],
    }),
  ],
  [
    'EIP-7702',
    async () => ({
      type: 'eip7702',
      chainId: 1337,
      maxFeePerGas: 9n,
      gas: 60_000n,
      to: TO,
      authorizationList: [await signAuthorization()],
    }),
  ],
]

describe('given transactions signed by another library', () => {
  for (const [name, make] of cases)
    test(`when ${name} is decoded, then fields, hash, sender and bytes are equal`, async () => {
      const raw = await account.signTransaction(await make())
      const bytes = fromHex(raw)
      const transaction = decodeTransaction(bytes)
      const theirs = parseTransaction(raw)

      expect(transaction.nonce).toBe(BigInt(theirs.nonce ?? 0))
      expect(transaction.gasLimit).toBe(theirs.gas as bigint)
      expect(transaction.maxFeePerGas).toBe((theirs.gasPrice ?? theirs.maxFeePerGas) as bigint)
      expect(transaction.value).toBe(theirs.value ?? 0n)
      expect(transaction.to && toHex(transaction.to)).toBe(theirs.to ?? undefined)
      expect(toHex(transaction.data)).toBe(theirs.data ?? '0x')
      expect(transaction.chainId).toBe(theirs.chainId === undefined ? undefined : BigInt(theirs.chainId))
      expect(transaction.r).toBe(BigInt(theirs.r as string))
      expect(transaction.accessList.map(entry => entry.storageKeys.length)).toEqual(
        (theirs.accessList ?? []).map(entry => entry.storageKeys.length),
      )
      expect(recoverSender(transaction)).toEqual(SENDER)
      expect(encodeTransaction(transaction)).toEqual(bytes)
      expect(transactionOf(transaction).hash).toEqual(transaction.hash)
      expect(transaction.encoded).toBe(bytes)
    })

  test('when one has blobs, then it has the blob fields', async () => {
    const make = cases.find(([name]) => name === 'EIP-4844')?.[1] as () => TransactionSerializable
    const transaction = decodeTransaction(fromHex(await account.signTransaction(make())))
    expect(transaction.maxFeePerBlobGas).toBe(11n)
    expect(transaction.blobVersionedHashes.map(toHex)).toEqual([`0x01${'44'.repeat(31)}`])
  })

  test('when one has an authorization, then it is read as signed', async () => {
    const make = cases.find(([name]) => name === 'EIP-7702')?.[1] as () => Promise<TransactionSerializable>
    const transaction = decodeTransaction(fromHex(await account.signTransaction(await make())))
    const signed = await signAuthorization()
    expect(transaction.authorizationList).toEqual([
      {
        chainId: 1337n,
        address: fromHex(TO),
        nonce: 0xffff_ffffn,
        yParity: BigInt(signed.yParity as number),
        r: BigInt(signed.r),
        s: BigInt(signed.s),
      },
    ])
  })
})

describe('signTransaction', () => {
  test('given an unsigned transaction, when signed here, then another library signs its hash alike', async () => {
    const raw = await account.signTransaction({ chainId: 1337, maxFeePerGas: 9n, gas: 21_000n, to: TO })
    const { encoded, hash, r, s, yParity, ...unsigned } = decodeTransaction(fromHex(raw))
    const signed = signTransaction(unsigned, fromHex(KEY))
    const theirs = await viemSign({ hash: toHex(signingHash(unsigned)) as `0x${string}`, privateKey: KEY })
    expect([signed.r, signed.s]).toEqual([BigInt(theirs.r), BigInt(theirs.s)])
    expect([signed.encoded, signed.hash, signed.r, signed.s, signed.yParity]).toEqual([
      encoded,
      hash,
      r,
      s,
      yParity,
    ])
  })
})
