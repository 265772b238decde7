import { describe, expect, test } from 'bun:test'
import { type Refusal, refusalOf, withConfig, withQbft, withTransitions } from '../genesisFiles.ts'

describe('given a qbft section with a fault', () => {
  const noValidators =
    'config.transitions.qbft[0]: QBFT transition to blockheader mode requires a validators list containing at least one validator'

  const cases: readonly Refusal[] = [
    [
      'an epoch of zero',
      withQbft({ epochlength: 0 }),
      'INVALID_VALUE',
      'config.qbft.epochlength: Epoch length in config must be greater than zero',
    ],
    [
      'a quoted epoch',
      withQbft({ epochlength: '10' }),
      'INVALID_VALUE',
      'config.qbft.epochlength: Expected number value but got string',
    ],
    [
      'a period of zero',
      withQbft({ blockperiodseconds: 0 }),
      'INVALID_VALUE',
      'config.qbft.blockperiodseconds: Invalid property value, blockperiodseconds should be a positive integer: 0',
    ],
    [
      'a period that is not a number',
      withQbft({ blockperiodseconds: 'soon' }),
      'INVALID_VALUE',
      'config.qbft.blockperiodseconds: Invalid property value, blockperiodseconds should be a positive integer: soon',
    ],
    [
      'a timeout beyond an int',
      withQbft({ requesttimeoutseconds: 2 ** 31 }),
      'INVALID_VALUE',
      'config.qbft.requesttimeoutseconds: Cannot convert value to integer: 2147483648',
    ],
    [
      'a timeout of zero',
      withQbft({ requesttimeoutseconds: 0 }),
      'INVALID_VALUE',
      'config.qbft.requesttimeoutseconds: the request timeout must be greater than zero',
    ],
    [
      'a negative reward',
      withQbft({ blockreward: '-1' }),
      'INVALID_VALUE',
      'config.qbft.blockreward: Bft Block reward in config cannot be negative',
    ],
    [
      'a beneficiary that is no address',
      withQbft({ miningbeneficiary: '0x12' }),
      'INVALID_VALUE',
      'config.qbft.miningbeneficiary: Mining beneficiary in config is not a valid ethereum address',
    ],
    [
      'two empty-block periods',
      withQbft({ emptyBlockPeriodSeconds: 1, xEmptyBlockPeriodSeconds: 1 }),
      'CONTRADICTION',
      'config.qbft.emptyBlockPeriodSeconds: given twice, also as config.qbft.xEmptyBlockPeriodSeconds: keep one',
    ],
    [
      'two gas limits for each transaction',
      withQbft({ perTxGasLimit: 1, pertxgaslimitcap: 1 }),
      'CONTRADICTION',
      'config.qbft.perTxGasLimit: given twice, also as config.qbft.pertxgaslimitcap: keep one',
    ],
    [
      'a gas limit for each transaction above the block’s',
      withQbft({ pertxgaslimit: 0x29b92701 }),
      'INVALID_VALUE',
      'config.qbft.pertxgaslimit: 700000001 must be at most the gas limit of the genesis block, 700000000; 0 is no limit',
    ],
    [
      'a transition to such a limit',
      withTransitions({ block: 7, pertxgaslimit: '0x29b92701' }),
      'INVALID_VALUE',
      'config.transitions.qbft[block 7].pertxgaslimit: 700000001 must be at most the gas limit of the genesis block, 700000000; 0 is no limit',
    ],
    [
      'a gas limit for each transaction that is not a number',
      withQbft({ pertxgaslimit: 'not-a-number' }),
      'INVALID_VALUE',
      "config.qbft.pertxgaslimit: must be a number but was 'not-a-number'",
    ],
    [
      'a negative gas limit for each transaction',
      withQbft({ pertxgaslimit: -1 }),
      'INVALID_VALUE',
      "config.qbft.pertxgaslimit: must be a number but was '-1'",
    ],

    [
      'transitions that are no list',
      withConfig({ transitions: { qbft: {} } }),
      'INVALID_VALUE',
      'config.transitions.qbft: Expected array value but got object',
    ],
    [
      'a transition that is no object',
      withTransitions(5),
      'INVALID_VALUE',
      'config.transitions.qbft[0]: Transition is illegally formatted.',
    ],
    [
      'a transition without block',
      withTransitions({ blockperiodseconds: 2 }),
      'INVALID_VALUE',
      'config.transitions.qbft[0]: Fork block not specified for Bft fork in custom forks',
    ],
    [
      'a transition at genesis',
      withTransitions({ block: 0 }),
      'INVALID_VALUE',
      'config.transitions.qbft[0]: Transition cannot be created for genesis block',
    ],
    [
      'two transitions at one block',
      withTransitions({ block: 1 }, { block: 2 }, { block: 1 }),
      'CONTRADICTION',
      'config.transitions.qbft[2]: Duplicate transitions cannot be created for the same block',
    ],
    [
      'header mode without validators',
      withTransitions({ block: 1, validatorselectionmode: 'blockheader' }),
      'INVALID_VALUE',
      noValidators,
    ],
    [
      'an empty list of validators',
      withTransitions({ block: 1, validators: [] }),
      'INVALID_VALUE',
      noValidators,
    ],
    [
      'contract mode without address',
      withTransitions({ block: 1, validatorselectionmode: 'contract' }),
      'INVALID_VALUE',
      'config.transitions.qbft[0]: QBFT transition has config with contract mode but no contract address',
    ],
    [
      'a validator that is no string',
      withTransitions({ block: 1, validators: [1] }),
      'INVALID_VALUE',
      'config.transitions.qbft[0].validators[0]: Bft Validator fork does not contain a string',
    ],
    [
      'a validator that is no address',
      withTransitions({ block: 1, validators: ['0x12'] }),
      'INVALID_VALUE',
      'config.transitions.qbft[0].validators[0]: must be an address: 0x and 40 hexadecimal digits',
    ],
    [
      'a beneficiary of a transition',
      withTransitions({ block: 1, miningbeneficiary: 'me' }),
      'INVALID_VALUE',
      'config.transitions.qbft[0].miningbeneficiary: Mining beneficiary in transition config is not a valid ethereum address',
    ],
  ]
  for (const [name, file, code, message] of cases)
    test(`when it has ${name}, then it is refused`, () => {
      expect(refusalOf(file)).toEqual({ code, message })
    })
})
