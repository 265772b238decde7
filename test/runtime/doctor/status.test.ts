import { describe, expect, test } from 'bun:test'
import { explain } from '../../../runtime/doctor/explain.ts'
import { STATUS_VALIDATORS_MAX, statusJson } from '../../../runtime/doctor/status.ts'
import { validator, WELL } from './support/report.ts'

type Status = {
  readonly validatorCount: number
  readonly validators: readonly { readonly address: string; readonly self: boolean }[]
}

/** The status of a network with so many validators, the last of which is this node. */
const statusOf = (count: number): Status => {
  const validators = Array.from({ length: count }, (_, index) => ({
    ...validator(2),
    address: `0x${(index + 1).toString(16).padStart(40, '0')}`,
    isSelf: index === count - 1,
  }))
  const report = { ...WELL, validators }
  return statusJson({
    report,
    diagnosis: explain(report),
    address: '0x',
    client: 'quorate',
    participation: [],
    plans: [],
    warnings: [],
    tally: undefined,
  }) as Status
}

describe('given the status of a node', () => {
  test('when there are as many validators as are listed, then all are in their order', () => {
    const { validators, validatorCount } = statusOf(STATUS_VALIDATORS_MAX)
    expect([validators.length, validatorCount]).toEqual([STATUS_VALIDATORS_MAX, STATUS_VALIDATORS_MAX])
    expect(validators.map(({ address }) => address)).toEqual(validators.map(({ address }) => address).sort())
  })

  test('when a contract names a hundred thousand, then it stays small, counts all and begins with this node', () => {
    const status = statusOf(100_000)
    expect(JSON.stringify(status).length).toBeLessThan(128 * 1024)
    expect([status.validatorCount, status.validators.length]).toEqual([100_000, STATUS_VALIDATORS_MAX])
    expect(status.validators[0]?.self).toBe(true)
  })
})
