import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { fromHex, toHex } from '../../../../core/bytes/hex.ts'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import { recoverSender } from '../../../../core/block/codec/signature.ts'
import { decodeTransaction } from '../../../../core/block/codec/transaction.ts'
import type { Transaction } from '../../../../core/block/transaction.ts'
import { intrinsicGas } from '../../../../core/evm/gas/intrinsic.ts'
import { InvalidTransaction } from '../../../../core/evm/transaction/result.ts'
import { checkTransaction } from '../../../../core/evm/transaction/validity.ts'
import type { Rules } from '../../../../core/genesis/configuration.ts'
import type { ForkName } from '../../../../core/genesis/fork.ts'
import { transactionGasMaxOf } from '../../../../core/genesis/forkSchedule.ts'
import { archiveFolder } from '../../../support/published/archive.ts'

const FORKS: Readonly<Record<string, ForkName>> = {
  Frontier: 'frontier',
  Homestead: 'homestead',
  EIP150: 'tangerineWhistle',
  EIP158: 'spuriousDragon',
  Byzantium: 'byzantium',
  Constantinople: 'constantinople',
  ConstantinopleFix: 'petersburg',
  Istanbul: 'istanbul',
  Berlin: 'berlin',
  London: 'london',
  Paris: 'paris',
  Shanghai: 'shanghai',
  Cancun: 'cancun',
}
const NO_LIMITS = { gasLimit: undefined, baseFeePerGas: undefined, blobBaseFee: undefined }

type Outcome =
  | { readonly hash: string; readonly sender: string; readonly intrinsicGas: bigint }
  | { readonly refused: string }
type Published = {
  readonly txbytes: string
  readonly result: Readonly<
    Record<string, { exception?: string; hash?: string; sender?: string; intrinsicGas: string }>
  >
}

const judge = (bytes: Uint8Array, fork: ForkName): Outcome => {
  const rules: Rules = {
    fork,
    chainId: 1n,
    blob: undefined,
    codeSizeMax: 24_576,
    stackItemsMax: 1024,
    transactionGasMax: transactionGasMaxOf(fork),
  }
  let transaction: Transaction
  try {
    transaction = decodeTransaction(bytes)
    checkTransaction(rules, NO_LIMITS, transaction)
  } catch (error) {
    if (!(error instanceof DecodeError) && !(error instanceof InvalidTransaction)) throw error
    return { refused: error.message }
  }
  const sender = recoverSender(transaction)
  if (sender === undefined) return { refused: 'no key signed it' }
  return {
    hash: toHex(transaction.hash),
    sender: toHex(sender),
    intrinsicGas: intrinsicGas(fork, transaction),
  }
}

const folder = archiveFolder('TransactionTests')
if (folder === undefined) console.info('TransactionTests skipped: the archive of published tests is absent')

describe.skipIf(folder === undefined)('given the published transaction tests', () => {
  for (const group of folder === undefined ? [] : readdirSync(folder).sort())
    test(`when ${group} runs, then verdict, hash, sender and intrinsic gas are equal at every fork`, () => {
      const differences: string[] = []
      let verdicts = 0
      for (const file of readdirSync(`${folder}/${group}`)) {
        const cases = JSON.parse(readFileSync(`${folder}/${group}/${file}`, 'utf8')) as Record<
          string,
          Published
        >
        for (const [name, { txbytes, result }] of Object.entries(cases))
          for (const [forkName, expected] of Object.entries(result)) {
            const outcome = judge(fromHex(txbytes), FORKS[forkName] as ForkName)
            const same =
              'refused' in outcome
                ? expected.exception !== undefined
                : outcome.hash === expected.hash &&
                  outcome.sender === expected.sender &&
                  outcome.intrinsicGas === BigInt(expected.intrinsicGas)
            if (!same)
              differences.push(`${name} ${forkName}: ${'refused' in outcome ? outcome.refused : 'taken'}`)
            verdicts++
          }
      }
      expect(differences).toEqual([])
      expect(verdicts).toBeGreaterThan(0)
    })
})
