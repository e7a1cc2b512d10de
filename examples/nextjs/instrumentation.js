// Next.js calls this once per server process, before the first request.
export async function register () {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { start } = await import('loopwatch')
  start({ labels: { service: 'nextjs-example' } })
}
