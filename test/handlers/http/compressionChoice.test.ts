import { describe, expect, test } from 'bun:test'
import { type CodingChoice, chooseCoding } from '../../../handlers/http/compressionChoice.ts'

const chosen = (coding: CodingChoice['coding'], isCodingWanted = false): CodingChoice => ({
  coding,
  isCodingWanted,
})

describe('given the accepted codings', () => {
  test.each([
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['deflate, gzip', 'gzip'],
    ['deflate', 'deflate'],
    ['X-GZIP', 'gzip'],
    [' GZip ; q=0.5 , deflate;q=0.8', 'deflate'],
    ['gzip;q=0, deflate', 'deflate'],
    ['*', 'gzip'],
    ['gzip;q=0, *', 'deflate'],
    ['br, *;q=0.1', 'gzip'],
    ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ] as const)('when they are %p, then the choice is %p', (header, coding) => {
    expect(chooseCoding(header)).toEqual(chosen(coding))
  })

  test.each([
    '',
    ' ',
    ',;,',
    'identity',
    'br, zstd',
    'gzip;q=0',
    'gzip;q=0.000',
    '*;q=0',
    'gzip;q=0.5, identity',
  ])('when they are %p, then there is none', header => {
    expect(chooseCoding(header)).toEqual(chosen(undefined))
  })

  test('when plain answers are refused by name or with all others, then a coding is required', () => {
    expect(chooseCoding('gzip, identity;q=0')).toEqual(chosen('gzip', true))
    expect(chooseCoding('deflate, *;q=0')).toEqual(chosen('deflate', true))
    expect(chooseCoding('gzip, identity, *;q=0')).toEqual(chosen('gzip'))
  })

  test('when plain answers are refused and no known coding is accepted, then the answer is plain: better than none', () => {
    expect(chooseCoding('br, identity;q=0')).toEqual(chosen(undefined))
  })

  test('when a coding has the weight zero, then it is not chosen', () => {
    for (const weight of ['2', '-1', '1.5', '0.1234', 'x', ''])
      expect(chooseCoding(`gzip;q=${weight}`)).toEqual(chosen(undefined))
  })

  test('when there are many entries, then only the first ones are read', () => {
    expect(chooseCoding(`${'x,'.repeat(15)}gzip`)).toEqual(chosen('gzip'))
    expect(chooseCoding(`${'x,'.repeat(16)}gzip`)).toEqual(chosen(undefined))
  })
})
