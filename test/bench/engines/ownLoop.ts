import { ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { fromHex } from '../../../core/bytes/hex.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import type { BlockEnvironment } from '../../../core/evm/transaction/environment.ts'
import { callMessage } from '../../../core/evm/transaction/execute.ts'
import type { Account, StateReader } from '../../../core/state/account.ts'
import { createWorldState } from '../../../core/state/worldState.ts'
import { CALLER_ADDRESS, calldata, LOOP_ADDRESS, type Loop } from '../execution/loops.ts'
import { BARE_FIELDS } from '../../support/chains/bareFields.ts'

const ENVIRONMENT: BlockEnvironment = {
  rules: {
    fork: 'cancun',
    chainId: 1337n,
    blob: undefined,
    codeSizeMax: 24_576,
    stackItemsMax: 1024,
    transactionGasMax: undefined,
  },
  number: 1n,
  timestamp: 1_700_000_000n,
  beneficiary: new Uint8Array(20),
  gasLimit: 10n ** 12n,
  difficulty: 0n,
  prevRandao: ZERO_HASH,
  baseFeePerGas: 0n,
  blobBaseFee: 1n,
  blockHash: () => undefined,
}

/** `core/evm` over a state of the loop's code alone; gives the gas it took. */
export const ownLoop = (loop: Loop): ((iterations: number) => bigint) => {
  const account: Account = {
    nonce: 1n,
    balance: 0n,
    codeHash: keccak256(loop.code),
    storageRoot: EMPTY_TRIE_ROOT,
    incarnation: 0n,
  }
  const to = fromHex(LOOP_ADDRESS)
  const reader: StateReader = {
    account: address => (address.every((byte, index) => byte === to[index]) ? account : undefined),
    storage: () => ZERO_HASH,
    code: codeHash => (codeHash === EMPTY_CODE_HASH ? new Uint8Array(0) : loop.code),
  }
  return iterations => {
    const message = {
      from: fromHex(CALLER_ADDRESS),
      to,
      gasLimit: 10n ** 12n,
      value: 0n,
      data: calldata(iterations),
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
      ...BARE_FIELDS,
    }
    const result = callMessage(ENVIRONMENT, createWorldState(reader), message)
    if (!result.success) throw new Error(`${loop.name}: ${JSON.stringify(result.failure)}`)
    return result.gasUsed
  }
}
