import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { effectOf, proposalLines, tallyLines } from '../../../runtime/setup/voteEffect.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { runCommand, startNode } from '../nodeProcess.ts'

setDefaultTimeout(60_000)

const address = (digit: string): string => `0x${digit.repeat(40)}`
const heard = (...digits: readonly string[]) =>
  digits.map(digit => ({ address: address(digit), heard: true }))
const silent = (digit: string) => ({ address: address(digit), heard: false })

describe('given a vote', () => {
  test('when the quorum stays, then no loss is named; when it would not, then it is', () => {
    const all = heard('1', '2', '3', '4')
    expect(effectOf(all, address('5'), true)).toMatchObject({ loss: undefined })
    expect(effectOf(all, address('5'), true).lines).toEqual([
      'now    4 validators: a block needs 3 of them, 1 may fail',
      'after  5 validators: a block needs 4 of them, 1 may fail',
      'The vote is decided by 3 of 4 validators, each of which must propose it.',
    ])
    const one = [...heard('1', '2', '3'), silent('4')]
    expect(effectOf(one, address('5'), true).loss).toContain(
      '4 of 5 validators would be needed, and 3 are heard',
    )
    expect(effectOf(one, address('4'), false).loss).toBeUndefined()
    const two = [...heard('1', '2', '3', '4', '5'), silent('6'), silent('7')]
    expect(effectOf(two, address('1'), false).loss).toBeUndefined()
    expect(effectOf([...two, silent('8')], address('1'), false).loss).toContain(
      '5 of 7 validators would be needed, and 4 of those that stay are heard',
    )
  })

  test('when votes were cast, then they are counted for each candidate', () => {
    const vote = (voter: string, add: boolean) => ({ voter, recipient: address('5'), add })
    expect(tallyLines([vote('a', true), vote('b', true), vote('c', false)], 4)).toEqual([
      `2 of 3 votes to add ${address('5')}: a, b`,
      `1 of 3 votes to remove ${address('5')}: c`,
    ])
  })
})

describe('given votes that a node proposes', () => {
  const validators = heard('1', '2', '3').map(each => ({ ...each, self: each.address === address('1') }))
  const votes = [{ voter: address('1'), recipient: address('5'), add: true }]
  const proposals = { [address('5')]: true, [address('2')]: false, [address('3')]: true }

  test('when it is a validator, then each vote counts, is still to come, or is decided', () => {
    expect(proposalLines(proposals, { validators, votes })).toEqual([
      `this node proposes to add ${address('5')}: its vote counts`,
      `this node proposes to remove ${address('2')}: no block has its vote yet, the next one that it proposes will`,
      `this node proposes to add ${address('3')}: it is decided, \`validators discard\` ends the proposal`,
    ])
    expect(proposalLines({}, { validators, votes })).toEqual([])
  })

  test('when it is no validator, then its votes are of no use', () => {
    const others = validators.map(each => ({ ...each, self: false }))
    expect(proposalLines({ [address('5')]: true }, { validators: others, votes: [] })[0]).toContain(
      'it is no validator',
    )
  })
})

describe('given a network of one validator that runs', () => {
  test('then a change that would end it is proposed only by force', () =>
    withFolder(async folder => {
      await runCommand(['network', 'init', join(folder, 'net'), '--validators=1', '--period=1'])
      const home = join(folder, 'net/validator1')
      const config = `--config-file=${join(home, 'quorate.toml')}`
      const node = await startNode(join(home, 'data'), [config, '--metrics-port=0'])
      const validators = (...args: readonly string[]) =>
        runCommand(['validators', ...args, `--url=${node.url}`])
      try {
        await until(async () => (await node.rpc<string>('eth_blockNumber')) !== '0x0')
        const listed = await validators('list')
        expect(listed.out).toContain('1 validator: it makes all blocks, none may fail')
        expect(listed.out).toContain('heard, this node\nno votes')

        const refused = await validators('propose', address('5'))
        expect(refused.out).toContain('after  2 validators: a block needs 2 of them, none may fail')
        expect([refused.code, refused.error]).toEqual([
          1,
          expect.stringContaining('Nothing was proposed; --force'),
        ])
        expect((await validators('propose', address('5'), '--remove')).error).toContain('is not a validator')
        expect((await validators('propose', '0x12')).code).toBe(2)
        expect(await node.rpc<object>('qbft_getPendingVotes')).toEqual({})

        expect((await validators('discard', address('5'))).code).toBe(0)
        expect((await validators('propose', address('5'), '--force')).out).toContain(
          'WARNING: 2 of 2 validators',
        )
        await until(async () => (await validators('list')).out.includes(`${address('5')}  SILENT`))
        // Of two validators one makes no further block.
        await validators('propose', address('6'), '--force')
        expect((await validators('list')).out).toContain(
          `this node proposes to add ${address('6')}: no block has its vote yet`,
        )
      } finally {
        await node.stop()
      }
      expect((await validators('list')).error).toContain('does not answer: ')
    }))
})
