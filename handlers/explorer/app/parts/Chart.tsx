import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'

type ChartProps = {
  readonly title: string
  /** Block numbers, ascending. */
  readonly numbers: readonly number[]
  readonly values: readonly number[]
  readonly unit: string
  readonly kind: 'bars' | 'line'
}

const HEIGHT = 110

const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

const axis = (size: number): uPlot.Axis => ({
  stroke: () => colour('--muted'),
  grid: { stroke: () => colour('--line'), width: 1 },
  ticks: { show: false },
  size,
  font: '11px system-ui, sans-serif',
})

const optionsOf = ({ unit, kind }: ChartProps, width: number): uPlot.Options => ({
  width,
  height: HEIGHT,
  legend: { show: false },
  cursor: { show: false },
  scales: { x: { time: false }, y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1)] } },
  axes: [
    {
      ...axis(22),
      space: 70,
      values: (_, splits) => splits.map(split => (Number.isInteger(split) ? String(split) : '')),
    },
    { ...axis(38), space: 32, values: (_, splits) => splits.map(split => `${split}${unit}`) },
  ],
  series: [
    {},
    {
      stroke: () => colour('--accent'),
      fill: () => colour('--accent-soft'),
      width: 1.5,
      points: { show: false },
      ...(kind === 'bars' && uPlot.paths.bars !== undefined
        ? { paths: uPlot.paths.bars({ size: [0.7, 12] }) }
        : {}),
    },
  ],
})

/** A description of the chart in words, for screen readers. */
const describe = ({ title, values, unit }: ChartProps): string => {
  if (values.length === 0) return `${title}: no blocks yet`
  const sum = values.reduce((total, value) => total + value, 0)
  const mean = Math.round((sum / values.length) * 100) / 100
  return `${title} of the last ${values.length} blocks: on average ${mean}${unit}, at most ${Math.max(...values)}${unit}`
}

/** A small chart over the last blocks. */
export const Chart = (props: ChartProps) => {
  const holder = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  useEffect(() => {
    const element = holder.current
    if (element === null) return undefined
    plot.current = new uPlot(optionsOf(props, element.clientWidth), [[], []], element)
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }),
    )
    observer.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const redraw = (): void => plot.current?.redraw()
    scheme.addEventListener('change', redraw)
    addEventListener('theme', redraw)
    return () => {
      observer.disconnect()
      scheme.removeEventListener('change', redraw)
      removeEventListener('theme', redraw)
      plot.current?.destroy()
    }
  }, [])
  useEffect(
    () => plot.current?.setData([[...props.numbers], [...props.values]]),
    [props.numbers, props.values],
  )
  return (
    <figure>
      <figcaption>{props.title}</figcaption>
      <div ref={holder} class="chart" role="img" aria-label={describe(props)} />
    </figure>
  )
}
