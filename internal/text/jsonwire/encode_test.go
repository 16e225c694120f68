package jsonwire

import "testing"

func TestEncode(t *testing.T) {
	v := map[string]any{"a": "<b> & \u2028\n", "n": []int{1}}
	for _, test := range []struct {
		encode func(any) ([]byte, error)
		want   string
	}{
		{Encode, `{"a":"<b> & \u2028\n","n":[1]}`},
		{EncodeFile, "{\n  \"a\": \"<b> & \\u2028\\n\",\n  \"n\": [\n    1\n  ]\n}\n"},
	} {
		if got, err := test.encode(v); err != nil || string(got) != test.want {
			t.Errorf("got %s, %v, want %s", got, err, test.want)
		}
		if got, err := test.encode(func() {}); err == nil {
			t.Errorf("a function is %s", got)
		}
	}
}
