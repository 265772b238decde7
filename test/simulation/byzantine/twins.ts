import type { Attack } from './attacker.ts'

/** Honest in itself; that another node has the same key and knows nothing of this one makes the attack. */
export const twins: Attack = ({ plain }) => plain
