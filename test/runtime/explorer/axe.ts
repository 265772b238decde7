import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '../../support/programs/chromium.ts'

type Violation = {
  readonly impact: string
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

const SERIOUS: ReadonlySet<string> = new Set(['serious', 'critical'])

/** Loaded on use: half a megabyte. */
const source = (): string =>
  readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What keeps people with disabilities from using the page, by axe-core: serious and critical violations. */
export const seriousViolations = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(`${source()};0`)
  await page.evaluate(
    `window.violations = undefined;
     axe.run(document).then(({ violations }) => { window.violations = JSON.stringify(violations) });
     0`,
  )
  await page.until("typeof window.violations === 'string'")
  const violations = JSON.parse(String(await page.evaluate('window.violations'))) as readonly Violation[]
  return violations
    .filter(({ impact }) => SERIOUS.has(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
