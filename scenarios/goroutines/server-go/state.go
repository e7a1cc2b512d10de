package main

import (
	"sync"
	"sync/atomic"
)

const (
	keys   = 64
	shards = 16
)

// A counter for each key, that every request adds to.
type state interface {
	add(key int)
	total() int64
}

// Nothing guards it, and it thinks between reading and writing: the control that loses updates.
type racyState struct{ counts [keys]int64 }

const thought = 8

//go:noinline
func think(x int32) int32 {
	for i := 0; i < thought; i++ {
		x = xorshift(x)
	}
	return x
}

func (s *racyState) add(key int) {
	seen := s.counts[key]
	if think(seed) != 0 {
		s.counts[key] = seen + 1
	}
}
func (s *racyState) total() (sum int64) {
	for _, n := range s.counts {
		sum += n
	}
	return
}

type atomicState struct{ counts [keys]atomic.Int64 }

func (s *atomicState) add(key int) { s.counts[key].Add(1) }
func (s *atomicState) total() (sum int64) {
	for i := range s.counts {
		sum += s.counts[i].Load()
	}
	return
}

type mutexState struct {
	mu     sync.Mutex
	counts map[int]int64
}

func (s *mutexState) add(key int) {
	s.mu.Lock()
	s.counts[key]++
	s.mu.Unlock()
}
func (s *mutexState) total() (sum int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.counts {
		sum += n
	}
	return
}

// Keys that exist need the lock of readers only.
type rwMutexState struct {
	mu     sync.RWMutex
	counts map[int]*atomic.Int64
}

func (s *rwMutexState) add(key int) {
	s.mu.RLock()
	count := s.counts[key]
	s.mu.RUnlock()
	if count == nil {
		s.mu.Lock()
		if count = s.counts[key]; count == nil {
			count = new(atomic.Int64)
			s.counts[key] = count
		}
		s.mu.Unlock()
	}
	count.Add(1)
}
func (s *rwMutexState) total() (sum int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, n := range s.counts {
		sum += n.Load()
	}
	return
}

type syncMapState struct{ counts sync.Map }

func (s *syncMapState) add(key int) {
	count, ok := s.counts.Load(key)
	if !ok {
		count, _ = s.counts.LoadOrStore(key, new(atomic.Int64))
	}
	count.(*atomic.Int64).Add(1)
}
func (s *syncMapState) total() (sum int64) {
	s.counts.Range(func(_, count any) bool {
		sum += count.(*atomic.Int64).Load()
		return true
	})
	return
}

type shardedState struct{ parts [shards]mutexState }

func (s *shardedState) add(key int) { s.parts[key%shards].add(key) }
func (s *shardedState) total() (sum int64) {
	for i := range s.parts {
		sum += s.parts[i].total()
	}
	return
}

func newState(name string) state {
	switch name {
	case "racy":
		return &racyState{}
	case "atomic":
		return &atomicState{}
	case "mutex-map":
		return &mutexState{counts: map[int]int64{}}
	case "rwmutex-map":
		return &rwMutexState{counts: map[int]*atomic.Int64{}}
	case "sync-map":
		return &syncMapState{}
	case "sharded":
		s := &shardedState{}
		for i := range s.parts {
			s.parts[i].counts = map[int]int64{}
		}
		return s
	}
	return nil
}
