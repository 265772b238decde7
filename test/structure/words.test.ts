import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { pages } from './markdown.ts'
import { sourceFiles } from './source.ts'

/** Reads and parses all sources, beside other work. */
setDefaultTimeout(60_000)

/** Invented names, with the field's word for each. Whole identifiers, in code and prose. */
const WORDS: readonly (readonly [word: string, instead: string])[] = [
  ['LinkLife', 'ConnectionManager'],
  ['tellStatus', 'sendStatus'],
  ['isWelcome', 'isAllowed'],
  ['calmLog', 'rate-limited log'],
  ['catchUp', 'block download'],
  ['CatchUp', 'BlockDownload'],
  ['lookAhead', 'prefetch'],
  ['Wakeup', 'signal'],
  ['Asker', 'RemoteStore'],
  ['askedStore', 'remoteStore'],
  ['answerAsk', 'serveStore'],
  ['startNetworkBeside', 'startNetworkThread'],
  ['FactTeller', 'state updates'],
  ['PeerMirror', 'remote peers'],
  ['headPump', 'headWatcher'],
  ['performer', 'effectHandler'],
  ['blockWork', 'blockExecutor'],
  ['tellBlock', 'logBlock'],
  ['endAll', 'closeAll'],
  ['inOneGo', 'synchronously'],
  ['misfit', 'rule violation'],
  ['uncounted', 'verification result'],
  ['lacking', 'outOfGas'],
  ['keeps64th', 'eip150'],
  ['clearsEmpty', 'eip158'],
  ['hasWarmth', 'eip2929'],
  ['NodesGone', 'SnapshotExpired'],
  ['nobodysHash', 'dummyHash'],
  ['shutOut', 'unauthenticated'],
  ['unlisted', 'suppressedCount'],
  ['costOf', 'matches'],
  ['STACK_MOVES', 'STACK_DELTAS'],
  ['SenderTransaction', 'RecoveredTransaction'],
  ['isWatched', 'mayPause'],
  ['bequeath', 'transferBalance'],
  ['Foresight', 'PrefetchTable'],
  ['ToldRange', 'AnnouncedRange'],
  ['SIZE_GUESS', 'ASSUMED_BYTES'],
  ['heardOf', 'raisePeerHead'],
  ['onPeerGone', 'onPeerDisconnected'],
  ['takesPart', 'participates'],
  ['newcomers', 'newNodes'],
  ['isCrowded', 'isSubnetFull'],
  ['isForgettable', 'isEvictable'],
  ['noneLeftOut', 'isComplete'],
  ['COURTESY_MS', 'HIGHER_KEY_DELAY_MS'],
  ['NodeTroubles', 'HealthProblems'],
  ['notingRefusals', 'withRefusalCounts'],
  ['unholdable', 'memoryExceeded'],
  ['endingCertificates', 'expiringCertificates'],
  ['RecordPlace', 'RecordStorage'],
  ['Entrance', 'ServerAccess'],
  ['goToBackground', 'lowerPriority'],
  ['judgeForeign', 'readBesuOption'],
  ['strayOptions', 'foreignOptions'],
  ['askContract', 'callContract'],
  ['NodeFacts', 'NodeReport'],
  ['ValidatorFacts', 'ValidatorReport'],
  ['PoolFacts', 'PoolReport'],
  ['ConsensusFacts', 'ConsensusReport'],
  ['considerHolders', 'requireRecordHolder'],
  ['createReturns', 'createRewinds'],
]

/** Riddles and figures of speech that stood for a plain sentence. */
const PHRASES: readonly RegExp[] = [
  /\blooks? after\b/i,
  /\bwhom to dial\b/i,
  /\bsaid when nothing\b/i,
  /\blets? (?:a|the) \w+ go\b/i,
  /\btakes? a vote back\b/i,
  /\bothers need the room\b/i,
  /\ba file stands there\b/i,
  /\bin one go\b/i,
  /\bbegins to gather\b/i,
  /\bmeans it\b/i,
  /\btold no\b/i,
  /\bto go on with\b/i,
  /\bmay have its turn\b/i,
  /\bthe same in steps\b/i,
  /\b(?:garbage|objects?(?: each)?) to collect\b/i,
  /\bis not to be used\b/i,
  /\bfor want of\b/i,
  /\bcomes on top\b/i,
  /\bthat is none\b/i,
  /\bis no (?:number|opcode|delegation|point|kind)\b/i,
  /\bis none of the\b/i,
  /\bwhat becomes of\b/i,
  /\bdoor of the pool\b/i,
  /\bidentif(?:y|ies) nobody\b/i,
  /\bbeyond all calendars\b/i,
  /\bout of sight\b/i,
  /\bheld against the rights\b/i,
]

/** Limits whose bare name once stood for several values: a name says of what it is the limit. */
const BARE_LIMITS: readonly string[] = [
  'MESSAGE_BYTES_MAX',
  'BLOCK_BYTES_MAX',
  'EXTRA_DATA_BYTES_MAX',
  'STACK_ITEMS_MAX',
  'LOOK_MS',
  'RETRY_MS',
]

/** References to pages that are not in the repository. */
const ABSENT_REFERENCES = /(?<!RFC \d{4} |Paper |SEC 2 )§\s?\d|\bissue \d{2}\b/

type Place = { readonly path: string; readonly line: number; readonly text: string }

const THIS_FILE = 'test/structure/words.test.ts'

const LINES: readonly Place[] = [...sourceFiles('core', 'handlers', 'p2p', 'runtime', 'test'), ...pages()]
  .filter(({ path }) => path !== THIS_FILE)
  .flatMap(({ path, text }) => text.split('\n').map((line, index) => ({ path, line: index + 1, text: line })))

const placesOf = (pattern: RegExp): readonly string[] =>
  LINES.filter(({ text }) => pattern.test(text)).map(
    ({ path, line, text }) => `${path}:${line}: ${text.trim()}`,
  )

describe('given all sources and pages, when their words are read', () => {
  test.each(WORDS)('then none is %s, but %s', word => {
    expect(placesOf(new RegExp(`\\b${word}\\b`))).toEqual([])
  })

  test.each(PHRASES.map(pattern => [pattern.source, pattern] as const))('then none says %s', (_, pattern) => {
    expect(placesOf(pattern)).toEqual([])
  })

  test('then no limit has a name that does not say of what', () => {
    expect(placesOf(new RegExp(`\\bconst (?:${BARE_LIMITS.join('|')})\\b`))).toEqual([])
  })

  test('then none points to a page that is not in the repository', () => {
    expect(placesOf(ABSENT_REFERENCES)).toEqual([])
  })
})
