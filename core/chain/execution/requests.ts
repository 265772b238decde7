import { sha256 } from '@noble/hashes/sha2.js'
import { type Address, concatBytes, equalBytes, type Hash } from '../../bytes/bytes.ts'
import { fromHex } from '../../bytes/hex.ts'
import { bytesToBigint } from '../../bytes/integer.ts'
import type { BlockEnvironment } from '../../evm/transaction/environment.ts'
import { systemCallSteps } from '../../evm/transaction/execute.ts'
import { EMPTY_REQUESTS_HASH } from '../../genesis/genesisBlock.ts'
import type { WorldState } from '../../state/world.ts'
import type { Steps } from '../../steps.ts'
import type { Log, Receipt } from '../../block/receipt.ts'
import type { RequestContracts } from './systemContracts.ts'

/** EIP-6110: topic of `DepositEvent(bytes,bytes,bytes,bytes,bytes)`. */
const DEPOSIT_EVENT: Hash = fromHex('649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')
const DEPOSIT_EVENT_BYTES = 576
/** Offset of each part's length word in the event's data, and that length: pubkey, credentials, amount, signature, index. */
const DEPOSIT_PARTS: readonly (readonly [offset: number, length: number])[] = [
  [160, 48],
  [256, 32],
  [320, 8],
  [384, 96],
  [512, 8],
]
const WORD_BYTES = 32

const DEPOSIT_REQUEST = 0x00
const WITHDRAWAL_REQUEST = 0x01
const CONSOLIDATION_REQUEST = 0x02

/** A required call of a system contract failed. */
export class SystemContractFailure extends Error {
  override readonly name = 'SystemContractFailure'
  readonly code = 'SYSTEM_CONTRACT_FAILURE'
}

const wordAt = (data: Uint8Array, offset: number): bigint =>
  bytesToBigint(data.subarray(offset, offset + WORD_BYTES))

/** One deposit in EIP-6110's form. @throws SystemContractFailure when the event is not the deposit contract's */
const depositOf = (data: Uint8Array): Uint8Array => {
  const isLaidOut =
    data.length === DEPOSIT_EVENT_BYTES &&
    DEPOSIT_PARTS.every(
      ([offset, length], index) =>
        wordAt(data, WORD_BYTES * index) === BigInt(offset) && wordAt(data, offset) === BigInt(length),
    )
  if (!isLaidOut) throw new SystemContractFailure('a deposit event does not have the layout of EIP-6110')
  return concatBytes(
    ...DEPOSIT_PARTS.map(([offset, length]) =>
      data.subarray(offset + WORD_BYTES, offset + WORD_BYTES + length),
    ),
  )
}

const isDeposit = (log: Log, contract: Address): boolean =>
  equalBytes(log.address, contract) && log.topics[0] !== undefined && equalBytes(log.topics[0], DEPOSIT_EVENT)

const depositsOf = (receipts: readonly Receipt[], contract: Address): Uint8Array => {
  const deposits: Uint8Array[] = []
  for (const receipt of receipts)
    for (const log of receipt.logs) if (isDeposit(log, contract)) deposits.push(depositOf(log.data))
  return concatBytes(...deposits)
}

function* callSystemContract(
  environment: BlockEnvironment,
  world: WorldState,
  contract: Address,
  eip: string,
): Steps<Uint8Array> {
  if (world.code(contract).length === 0)
    throw new SystemContractFailure(`the system contract of ${eip} is not deployed`)
  const result = yield* systemCallSteps(environment, world, contract, new Uint8Array(0))
  if (!result.success) throw new SystemContractFailure(`the system contract of ${eip} failed`)
  return result.output
}

/** EIP-7685: SHA-256 over the hashes of all non-empty requests, each preceded by its type. */
const hashOf = (requests: readonly (readonly [type: number, data: Uint8Array])[]): Hash =>
  sha256(
    concatBytes(
      ...requests
        .filter(([, data]) => data.length > 0)
        .map(([type, data]) => sha256(concatBytes(Uint8Array.of(type), data))),
    ),
  )

/**
 * From Prague on, after the transactions: collects deposits (EIP-6110), withdrawal (EIP-7002) and consolidation requests
 * (EIP-7251), and returns the `requestsHash` of the header.
 * @throws SystemContractFailure which makes the block invalid
 */
export function* collectRequests(
  environment: BlockEnvironment,
  world: WorldState,
  receipts: readonly Receipt[],
  contracts: RequestContracts | undefined,
): Steps<Hash> {
  if (contracts === undefined) return EMPTY_REQUESTS_HASH
  return hashOf([
    [DEPOSIT_REQUEST, depositsOf(receipts, contracts.deposit)],
    [WITHDRAWAL_REQUEST, yield* callSystemContract(environment, world, contracts.withdrawal, 'EIP-7002')],
    [
      CONSOLIDATION_REQUEST,
      yield* callSystemContract(environment, world, contracts.consolidation, 'EIP-7251'),
    ],
  ])
}
