import { start } from 'loopwatch'
import 'reflect-metadata'
import { Controller, Get, Module, Param } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'

start({ labels: { service: 'nestjs-example' } })

/** Blocks: makes a new collator for every comparison. */
const byName = (a: string, b: string): number => a.localeCompare(b, 'de', { numeric: true })

@Controller('reports')
class Reports {
  @Get(':rows')
  build (@Param('rows') rows: string): { median: string } {
    return { median: this.median(Math.min(Number(rows), 1_000_000)) }
  }

  private median (length: number): string {
    const names = Array.from({ length }, (_, i) => `name ${(i * 7919) % length}`)
    return names.sort(byName)[length >> 1]
  }
}

@Module({ controllers: [Reports] })
class App {}

async function main (): Promise<void> {
  const app = await NestFactory.create(App, { logger: false })
  await app.listen(process.env.PORT ?? 3000)
  console.log(`ask ${await app.getUrl()}/reports/5000`)
}

void main()
