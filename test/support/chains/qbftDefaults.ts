import type { QbftMessaging, QbftParameters } from '../../../core/genesis/configuration.ts'

/** What holds where a genesis file says nothing. */
export const DEFAULT_PARAMETERS: QbftParameters = {
  blockPeriodSeconds: 1,
  blockPeriodMs: 0,
  emptyBlockPeriodSeconds: 0,
  epochLength: 30_000n,
  requestTimeoutSeconds: 1,
  blockReward: 0n,
  perTxGasLimit: undefined,
  miningBeneficiary: undefined,
  validatorSelection: { mode: 'blockheader' },
}

export const DEFAULT_MESSAGING: QbftMessaging = {
  messageQueueLimit: 1000,
  duplicateMessageLimit: 100,
  futureMessagesLimit: 1000,
  futureMessagesMaxDistance: 10,
}
