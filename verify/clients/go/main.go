// Plays the client scenario with clientv3: prints "ok NAME" or "FAIL NAME reason" for each step and exits with 1 if one
// failed. The endpoint is the first argument. It expects an empty store of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

var client *clientv3.Client

func main() {
	var err error
	client, err = clientv3.New(clientv3.Config{
		Endpoints:   []string{os.Args[1]},
		DialTimeout: 10 * time.Second,
		Logger:      zap.NewNop(),
	})
	if err != nil {
		fmt.Println("FAIL connect", err)
		os.Exit(1)
	}
	defer client.Close()
	steps := []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"put-get", putGet},
		{"get-options", getOptions},
		{"delete", remove},
		{"txn", txn},
		{"watch-now", watchNow},
		{"watch-revision", watchRevision},
		{"watch-prefix", watchPrefix},
		{"watch-prev-kv", watchPrevKv},
		{"watch-cancel", watchCancel},
		{"watch-progress", watchProgress},
		{"watch-fragment", watchFragment},
		{"compaction", compaction},
		{"status", status},
	}
	failed := false
	for _, step := range steps {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		if err := step.run(ctx); err != nil {
			failed = true
			fmt.Println("FAIL", step.name, strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println("ok", step.name)
		}
		cancel()
	}
	if failed {
		os.Exit(1)
	}
}

// want compares the printed forms of what came and what was expected.
func want(got, expected any) error {
	if g, e := fmt.Sprint(got), fmt.Sprint(expected); g != e {
		return fmt.Errorf("got %q, expected %q", g, e)
	}
	return nil
}

func put(ctx context.Context, key, value string) int64 {
	response, err := client.Put(ctx, key, value)
	if err != nil {
		panic(err)
	}
	return response.Header.Revision
}

func keys(kvs []*mvccpb.KeyValue) string {
	var names []string
	for _, kv := range kvs {
		names = append(names, string(kv.Key)+"="+string(kv.Value))
	}
	return strings.Join(names, " ")
}

func putGet(ctx context.Context) error {
	revision := put(ctx, "put/a", "1")
	second, err := client.Put(ctx, "put/a", "2", clientv3.WithPrevKV())
	if err != nil {
		return err
	}
	got, err := client.Get(ctx, "put/a")
	if err != nil {
		return err
	}
	kv := got.Kvs[0]
	return errors.Join(
		want(second.Header.Revision, revision+1),
		want(string(second.PrevKv.Value), "1"),
		want(string(kv.Value), "2"),
		want([]int64{kv.CreateRevision, kv.ModRevision, kv.Version}, []int64{revision, revision + 1, 2}))
}

func getOptions(ctx context.Context) error {
	put(ctx, "get/c", "1")
	put(ctx, "get/a", "3")
	past := put(ctx, "get/b", "2")
	put(ctx, "get/b", "4")
	var errs []error
	expect := func(expected string, count int64, options ...clientv3.OpOption) {
		got, err := client.Get(ctx, "get/", append(options, clientv3.WithPrefix())...)
		if err != nil {
			errs = append(errs, err)
			return
		}
		errs = append(errs, want(keys(got.Kvs), expected), want(got.Count, count))
	}
	expect("get/a=3 get/b=4 get/c=1", 3)
	expect("get/a=3 get/b=4", 3, clientv3.WithLimit(2))
	expect("get/c=1 get/b=4 get/a=3", 3, clientv3.WithSort(clientv3.SortByKey, clientv3.SortDescend))
	expect("get/c=1 get/a=3 get/b=4", 3, clientv3.WithSort(clientv3.SortByValue, clientv3.SortAscend))
	expect("get/a=3 get/b=2 get/c=1", 3, clientv3.WithRev(past))
	expect("get/a= get/b= get/c=", 3, clientv3.WithKeysOnly())
	expect("", 3, clientv3.WithCountOnly())
	expect("get/b=4", 3, clientv3.WithMinModRev(past+1))
	expect("get/a=3 get/b=4 get/c=1", 3, clientv3.WithSerializable())
	return errors.Join(errs...)
}

func remove(ctx context.Context) error {
	for _, key := range []string{"del/a", "del/b", "del/c"} {
		put(ctx, key, key)
	}
	one, err := client.Delete(ctx, "del/b", clientv3.WithPrevKV())
	if err != nil {
		return err
	}
	rest, err := client.Delete(ctx, "del/", clientv3.WithPrefix())
	if err != nil {
		return err
	}
	none, err := client.Delete(ctx, "del/", clientv3.WithPrefix())
	if err != nil {
		return err
	}
	return errors.Join(
		want(keys(one.PrevKvs), "del/b=del/b"),
		want([]int64{one.Deleted, rest.Deleted, none.Deleted}, []int64{1, 2, 0}),
		want(none.Header.Revision, rest.Header.Revision))
}

func txn(ctx context.Context) error {
	put(ctx, "txn/a", "1")
	transact := func(value string) (*clientv3.TxnResponse, error) {
		return client.Txn(ctx).
			If(clientv3.Compare(clientv3.Value("txn/a"), "=", value)).
			Then(clientv3.OpPut("txn/a", "2"), clientv3.OpGet("txn/a")).
			Else(clientv3.OpGet("txn/", clientv3.WithPrefix())).
			Commit()
	}
	yes, err := transact("1")
	if err != nil {
		return err
	}
	no, err := transact("1")
	if err != nil {
		return err
	}
	_, twice := client.Txn(ctx).Then(clientv3.OpPut("txn/b", "1"), clientv3.OpPut("txn/b", "2")).Commit()
	return errors.Join(
		want([]bool{yes.Succeeded, no.Succeeded}, []bool{true, false}),
		want(keys(yes.Responses[1].GetResponseRange().Kvs), "txn/a=2"),
		want(keys(no.Responses[0].GetResponseRange().Kvs), "txn/a=2"),
		want(twice, rpctypes.ErrDuplicateKey))
}

// collect reads events until there are so many.
func collect(watch clientv3.WatchChan, count int) (string, error) {
	var events []string
	for len(events) < count {
		response, open := <-watch
		if !open {
			return "", errors.New("the watch ended after " + strings.Join(events, " "))
		}
		if err := response.Err(); err != nil {
			return "", err
		}
		for _, event := range response.Events {
			text := event.Type.String() + " " + string(event.Kv.Key) + "=" + string(event.Kv.Value)
			if event.PrevKv != nil {
				text += " was " + string(event.PrevKv.Value)
			}
			events = append(events, text)
		}
	}
	return strings.Join(events, ", "), nil
}

func expectEvents(watch clientv3.WatchChan, count int, expected string) error {
	got, err := collect(watch, count)
	return errors.Join(err, want(got, expected))
}

func watchNow(ctx context.Context) error {
	put(ctx, "now/a", "old")
	watch := client.Watch(ctx, "now/a", clientv3.WithCreatedNotify())
	if first := <-watch; !first.Created {
		return fmt.Errorf("no created response: %v", first)
	}
	put(ctx, "now/a", "new")
	put(ctx, "now/b", "other")
	_, err := client.Delete(ctx, "now/a")
	return errors.Join(err, expectEvents(watch, 2, "PUT now/a=new, DELETE now/a="))
}

func watchRevision(ctx context.Context) error {
	put(ctx, "rev/a", "1")
	start := put(ctx, "rev/a", "2")
	put(ctx, "rev/a", "3")
	watch := client.Watch(ctx, "rev/a", clientv3.WithRev(start))
	if err := expectEvents(watch, 2, "PUT rev/a=2, PUT rev/a=3"); err != nil {
		return err
	}
	put(ctx, "rev/a", "4")
	return expectEvents(watch, 1, "PUT rev/a=4")
}

func watchPrefix(ctx context.Context) error {
	start := put(ctx, "pre/a", "1")
	put(ctx, "pre/b", "2")
	put(ctx, "prf", "3")
	put(ctx, "pre/c", "4")
	return expectEvents(client.Watch(ctx, "pre/", clientv3.WithPrefix(), clientv3.WithRev(start)), 3,
		"PUT pre/a=1, PUT pre/b=2, PUT pre/c=4")
}

func watchPrevKv(ctx context.Context) error {
	start := put(ctx, "prev/a", "1")
	put(ctx, "prev/a", "2")
	if _, err := client.Delete(ctx, "prev/a"); err != nil {
		return err
	}
	return expectEvents(client.Watch(ctx, "prev/a", clientv3.WithPrevKV(), clientv3.WithRev(start)), 3,
		"PUT prev/a=1, PUT prev/a=2 was 1, DELETE prev/a= was 2")
}

func watchCancel(ctx context.Context) error {
	own, cancel := context.WithCancel(ctx)
	start := put(ctx, "cancel/a", "1")
	watch := client.Watch(own, "cancel/a", clientv3.WithRev(start))
	other := client.Watch(ctx, "cancel/a", clientv3.WithRev(start))
	if err := expectEvents(watch, 1, "PUT cancel/a=1"); err != nil {
		return err
	}
	cancel()
	for range watch {
	}
	put(ctx, "cancel/a", "2")
	return expectEvents(other, 2, "PUT cancel/a=1, PUT cancel/a=2")
}

func watchProgress(ctx context.Context) error {
	watch := client.Watch(ctx, "progress/a", clientv3.WithCreatedNotify())
	<-watch
	revision := put(ctx, "progress/b", "elsewhere")
	if err := client.RequestProgress(ctx); err != nil {
		return err
	}
	response := <-watch
	return errors.Join(want(response.IsProgressNotify(), true), want(response.Header.Revision, revision))
}

func watchFragment(ctx context.Context) error {
	value := strings.Repeat("v", 1<<20)
	start := put(ctx, "large/0", value)
	for i := 1; i < 6; i++ {
		put(ctx, fmt.Sprintf("large/%d", i), value)
	}
	watch := client.Watch(ctx, "large/", clientv3.WithPrefix(), clientv3.WithRev(start), clientv3.WithFragment())
	count := 0
	for count < 6 {
		response, open := <-watch
		if !open || response.Err() != nil {
			return fmt.Errorf("the watch ended: %v", response.Err())
		}
		count += len(response.Events)
	}
	return want(count, 6)
}

func compaction(ctx context.Context) error {
	old := put(ctx, "compact/a", "1")
	now := put(ctx, "compact/a", "2")
	if _, err := client.Compact(ctx, now, clientv3.WithCompactPhysical()); err != nil {
		return err
	}
	_, again := client.Compact(ctx, now)
	_, future := client.Compact(ctx, now+1)
	_, past := client.Get(ctx, "compact/a", clientv3.WithRev(old))
	response := <-client.Watch(ctx, "compact/a", clientv3.WithRev(old))
	return errors.Join(
		want(again, rpctypes.ErrCompacted),
		want(future, rpctypes.ErrFutureRev),
		want(past, rpctypes.ErrCompacted),
		want(response.Err(), rpctypes.ErrCompacted),
		want(response.CompactRevision, now))
}

func status(ctx context.Context) error {
	response, err := client.Status(ctx, os.Args[1])
	if err != nil {
		return err
	}
	members, err := client.MemberList(ctx)
	if err != nil {
		return err
	}
	return errors.Join(
		want(response.Leader, response.Header.MemberId),
		want(len(members.Members), 1),
		want(members.Members[0].ID, response.Header.MemberId))
}
