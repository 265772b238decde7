import type { Address } from '../../bytes/bytes.ts'
import type { ChainConfiguration } from '../../genesis/configuration.ts'
import { type ForkName, forkIsAtLeast } from '../../genesis/fork.ts'
import { qbftAt } from '../../genesis/qbftSchedule.ts'
import type { Withdrawal } from '../../block/block.ts'
import type { Header } from '../../block/header.ts'

const ETHER = 10n ** 18n
const WEI_PER_GWEI = 10n ** 9n

/** The wei that one account receives; never zero, because crediting zero would create an empty account. */
export type Credit = { readonly address: Address; readonly wei: bigint }

type RewardedBlock = {
  readonly header: Pick<Header, 'number' | 'timestamp' | 'coinbase'>
  readonly ommers: readonly Pick<Header, 'number' | 'coinbase'>[]
}

/** The receiver of fees, which COINBASE returns: on QBFT the configured beneficiary, else the header's coinbase. */
export const beneficiaryOf = (
  configuration: Pick<ChainConfiguration, 'consensus'>,
  header: Pick<Header, 'number' | 'timestamp' | 'coinbase'>,
): Address =>
  configuration.consensus.kind === 'qbft'
    ? (qbftAt(configuration.consensus, header.number, header.timestamp).miningBeneficiary ?? header.coinbase)
    : header.coinbase

/** Wei for a proof-of-work block: 5 ETH, 3 from Byzantium (EIP-649), 2 from Constantinople (EIP-1234), none from Paris. */
const workReward = (fork: ForkName): bigint => {
  if (forkIsAtLeast(fork, 'paris')) return 0n
  if (forkIsAtLeast(fork, 'constantinople')) return 2n * ETHER
  return (forkIsAtLeast(fork, 'byzantium') ? 3n : 5n) * ETHER
}

/** Yellow Paper 11.3: the miner gets a 32nd more per included ommer, the ommer's miner an eighth less per generation. */
const workCredits = (fork: ForkName, { header, ommers }: RewardedBlock): readonly Credit[] => {
  const reward = workReward(fork)
  if (reward === 0n) return []
  const forOmmers = ommers.map(ommer => ({
    address: ommer.coinbase,
    wei: (reward * (8n + ommer.number - header.number)) / 8n,
  }))
  return [...forOmmers, { address: header.coinbase, wei: reward + (reward / 32n) * BigInt(ommers.length) }]
}

/** The block reward, paid after all transactions: QBFT's `blockReward`, or proof of work's. */
export const rewardCredits = (
  configuration: Pick<ChainConfiguration, 'consensus'>,
  fork: ForkName,
  block: RewardedBlock,
): readonly Credit[] => {
  if (configuration.consensus.kind !== 'qbft') return workCredits(fork, block)
  const { number, timestamp } = block.header
  const wei = qbftAt(configuration.consensus, number, timestamp).blockReward
  return wei === 0n ? [] : [{ address: beneficiaryOf(configuration, block.header), wei }]
}

/** EIP-4895; amounts are in gwei. */
export const withdrawalCredits = (withdrawals: readonly Withdrawal[]): readonly Credit[] =>
  withdrawals
    .filter(({ amountGwei }) => amountGwei > 0n)
    .map(({ address, amountGwei }) => ({ address, wei: amountGwei * WEI_PER_GWEI }))
