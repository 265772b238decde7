import type { AttackName } from '../settings.ts'
import type { Attack } from './attacker.ts'
import { dawdler } from './dawdler.ts'
import { equivocator } from './equivocator.ts'
import { flooder } from './flooder.ts'
import { forerunner } from './forerunner.ts'
import { liar } from './liar.ts'
import { replayer } from './replayer.ts'
import { sealSpoiler } from './sealSpoiler.ts'
import { silent } from './silent.ts'
import { twins } from './twins.ts'
import { withholder } from './withholder.ts'

export const ATTACKS: Readonly<Record<AttackName, Attack>> = {
  equivocator,
  silent,
  withholder,
  liar,
  replayer,
  flooder,
  'seal-spoiler': sealSpoiler,
  dawdler,
  twins,
  forerunner,
}
